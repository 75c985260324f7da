import SensorInterface

extension DoctorFacts {
    /// Why the local IMU is not examined; `nil` if it is.
    var reasonWithoutIMU: String? {
        if loaded.source == .simulated { return "not checked: the source is simulated" }
        if loaded.imu.gyro.device == .off, loaded.imu.accelerometer.device == .off {
            return "not checked: the IMU is turned off in the settings"
        }
        return nil
    }

    /// Why the IMU of this machine is not examined; `nil` if it is.
    var reasonWithoutLocalIMU: String? {
        if let reason = reasonWithoutIMU { return reason }
        return remoteContext.map { "not checked: the IMU is at \($0.host)" }
    }
}

extension Check {
    /// The kernel.
    static let kernel = Check(area: .kernel, needs: []) { facts in
        if let reason = facts.reasonWithoutLocalIMU { return .notChecked(reason) }
        guard let kernel = facts.kernel else { return .notChecked("not checked: reading /sys did not end in time") }
        guard kernel.hasIIO else {
            return .found([
                Finding(
                    .kernelIIO, "the kernel has no IIO: \(kernel.sysfs)/bus/iio does not exist",
                    .run("sudo modprobe industrialio"))
            ])
        }
        let occupied = kernel.proxyProcess.map { process in
            Finding(
                .kernelProxy, "iio-sensor-proxy runs: it occupies the accelerometer",
                .run(facts.hasSystemd ? "sudo systemctl mask --now iio-sensor-proxy" : "sudo kill \(process)"))
        }
        return .of([occupied], otherwise: "the kernel has IIO, and no other program occupies its sensors")
    }

    /// The clocks.
    static let clock = Check(area: .clock, needs: []) { facts in
        let clock = facts.clock
        let reports = facts.gpsd?.reports
        let set = reports.flatMap { setClock($0) } ?? "sudo timedatectl set-ntp true"
        // The first release is of 2026-10: an earlier time is that of a clock without a battery.
        guard clock.systemSeconds >= earliestSeconds else {
            return .found([
                Finding(.clockUnset, "the system clock is \(year(clock.systemSeconds)): it was never set", .run(set))
            ])
        }
        // Without a fix it is the time of the receiver's own clock, which may have run on a battery for months.
        if let reports, reports.mode >= 2, let utc = reports.utcSeconds, let system = reports.systemSeconds,
            utc >= earliestSeconds, (utc - system).magnitude > largestStepSeconds
        {
            let seconds = Int((utc - system).rounded())
            let text =
                "the system clock is \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the receiver's time"
            return .found([Finding(.clockStep, text, .run(set))])
        }
        var findings: [Finding?] = []
        if clock.isSynchronized == false {
            findings.append(
                Finding(
                    .clockUnsynchronized,
                    "the system clock is not synchronized: the delay of the fixes is less well known",
                    .run("sudo timedatectl set-ntp true")))
        }
        if let kernel = facts.kernel, let source = kernel.clockSource, slowClockSources.contains(source),
            kernel.clockSources.contains("tsc")
        {
            let path = "\(kernel.sysfs)/devices/system/clocksource/clocksource0/current_clocksource"
            findings.append(
                Finding(
                    .clockSource, "the kernel uses clock source \(source): each reading of the time is slow",
                    .run(Shell.write("tsc", to: path))))
        }
        return .of(
            findings, otherwise: "the system clock is set" + (clock.isSynchronized == nil ? "" : " and synchronized"))
    }

    /// Clock sources that are read by a system call. Those of virtual machines, such as kvm-clock, are not.
    private static let slowClockSources: Set<String> = ["hpet", "acpi_pm", "xen", "jiffies", "refined-jiffies"]

    /// The command that sets the system clock by a receiver; `nil` where it told no time, or one before the first
    /// release. Minutes may pass before a person runs it: it counts on from the start of the machine.
    private static func setClock(_ reports: GpsdState.Reports) -> String? {
        guard let utc = reports.utcSeconds, utc >= earliestSeconds, let uptime = reports.uptimeSeconds,
            // `cut` leaves half a second on average.
            let started = Int(exactly: (utc - uptime + 0.5).rounded())
        else { return nil }
        return "sudo date -u -s \"@$(($(cut -d. -f1 /proc/uptime) + \(started)))\""
    }

    /// 2026-10-01, seconds since 1970.
    static let earliestSeconds = 1_790_812_800.0
    /// Largest difference of the system clock from the receiver's time, seconds: reports arrive up to 1.5 s late.
    private static let largestStepSeconds = 3.0

    /// The year of a time, for messages.
    static func year(_ seconds: Double) -> String {
        guard seconds >= 0, seconds < 1e11 else { return "before 1970" }
        return "in the year \(Int(1970 + seconds / 31_556_952))"
    }
}
