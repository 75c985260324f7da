import Configuration
import SensorInterface
import Testing

@testable import Doctor

/// Every fault gives its line and no other.
@Suite struct FaultTests {
    @Test func aHealthyMachineHasNoFinding() {
        let report = DoctorReport(judging: Machine.healthy)
        #expect(report.findings == [] && report.exitCode == 0 && report.first == nil)
        #expect(report.entries.map(\.area) == Area.allCases)
        #expect(report.entries.allSatisfy { if case .passed = $0.verdict { true } else { false } })
        #expect(report.summary == "no failure")
    }

    @Test func everyFaultHasAnInjectionAndAText() {
        #expect(Machine.injections.map(\.fault.rawValue).sorted() == Fault.allCases.map(\.rawValue).sorted())
        #expect(Fault.allCases.count >= 40)
        for fault in Fault.allCases {
            #expect(fault.summary != fault.rawValue && fault.rawValue.hasPrefix("\(fault.area.rawValue)."))
        }
    }

    @Test func everyFaultHasACommandThatIsRunOrAReason() {
        for fault in Fault.allCases {
            #expect((fault.reason == nil) == (fault.proof == .run), "\(fault)")
            #expect(fault.reason.map { $0.hasSuffix(".") && !$0.contains("|") && $0.count <= 80 } ?? true, "\(fault)")
        }
        #expect(Fault.allCases.count { $0.proof == .run } >= 40)
    }

    @Test func aFaultThatOnlyAPersonCanRemoveHasAReason() {
        for injection in Machine.injections {
            var facts = Machine.healthy
            injection.apply(&facts)
            guard case .look? = DoctorReport(judging: facts).findings.first?.remedy else { continue }
            #expect(injection.fault.reason != nil, "\(injection.fault)")
        }
    }

    @Test(arguments: Machine.injections)
    func aFaultGivesExactlyItsLine(injection: Machine.Injection) throws {
        // GIVEN a healthy machine with one fault THEN there is one finding, in its area, with a command
        var facts = Machine.healthy
        injection.apply(&facts)
        let report = DoctorReport(judging: facts)
        #expect(report.findings.map(\.fault) == [injection.fault], "\(report.findings)")
        let finding = try #require(report.findings.first)
        #expect(report.entries.first { !$0.verdict.findings.isEmpty }?.area == injection.fault.area)
        #expect(report.exitCode == (injection.fault.isFailure ? 1 : 0))
        #expect(!finding.remedy.command.isEmpty && !finding.text.isEmpty && !finding.text.contains("\n"))
    }

    @Test func faultsOfDifferentAreasCountTogether() {
        // GIVEN one failure in three areas and a warning THEN the exit code is three, and the first is told first
        var facts = Machine.healthy
        for injection in Machine.injections
        where [.settingsWritable, .rangeSmall, .fixIndoors, .clockSource].contains(injection.fault) {
            injection.apply(&facts)
        }
        let report = DoctorReport(judging: facts)
        #expect(report.exitCode == 3 && report.findings.count == 4)
        #expect(report.first?.fault == .settingsWritable)
    }

    @Test func aReceiverWithoutAFixIsToldOnce() {
        // GIVEN a receiver without a fix, and a pose that is not aligned after minutes THEN that is one line: the
        // estimate is judged when there are fixes
        for injection in Machine.injections
        where [.fixNone, .fixIndoors, .gpsdOtherReceiver].contains(injection.fault) {
            var facts = Machine.healthy
            injection.apply(&facts)
            facts.daemon.status?.poseState = "coarse"
            let report = DoctorReport(judging: facts)
            #expect(report.findings.map(\.fault) == [injection.fault])
            #expect(report.entries.last?.verdict == .notChecked("not checked before fix is in order"))
            // AND another fault of the estimate is told beside it
            facts.daemon.status?.imuFaults = ["gyroStuck"]
            #expect(DoctorReport(judging: facts).findings.map(\.fault) == [injection.fault, .filterStuck])
        }
        // AND without a receiver that is to be judged the pose is
        var facts = Machine.healthy
        facts.daemon.status?.poseState = "coarse"
        facts.gpsd = nil
        #expect(DoctorReport(judging: facts).findings.map(\.fault) == [.filterUnaligned])
    }

    @Test func aMachineOfWhichNothingIsKnownIsJudged() {
        // GIVEN probes that did not end in time THEN nothing is claimed about their areas
        var facts = Machine.healthy
        (facts.kernel, facts.devices, facts.gpsd) = (nil, nil, nil)
        let report = DoctorReport(judging: facts)
        #expect(report.findings == [])
        #expect(report.summary == "no failure, 8 not checked")
    }

    @Test func whatIsTurnedOffIsNotChecked() {
        // GIVEN a simulated source, or sensors and gpsd turned off THEN their faults are none
        for change: @Sendable (inout Settings) -> Void in [
            { $0.source = .simulated },
            { settings in
                (settings.imu.gyro.device, settings.imu.accelerometer.device) = (.off, .off)
                settings.isGPSEnabled = false
            },
        ] {
            var facts = Machine.healthy
            facts.devices = []; facts.kernel?.hasIIO = false; facts.gpsd?.connection = .refused
            var settings = Settings()
            change(&settings)
            facts.settings.loaded?.settings = settings
            #expect(DoctorReport(judging: facts).findings == [])
        }
    }
}
