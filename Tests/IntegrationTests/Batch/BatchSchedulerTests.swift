import Foundation
import Glibc
import Testing

/// Plans of many recordings, done by real schedulers.
@Suite(.serialized) struct BatchSchedulerTests {
    /// Whether a Slurm of our own can run: its node daemon starts only where control groups are mounted.
    private static var canRunSlurm: Bool {
        let groups = try? FileManager.default.contentsOfDirectory(atPath: "/sys/fs/cgroup")
        return groups?.isEmpty == false && getuid() == 0
            && ExternalProgram.has("slurmctld", "slurmd", "munged", "sbatch", "scontrol", "squeue", "python3")
    }

    @Test(.enabled(if: canRunSlurm, "Slurm, munge, python3, /sys/fs/cgroup or root is missing"))
    func slurmRunsAPlanWhateverHappens() throws {
        // GIVEN a plan WHEN a real Slurm runs it while a task is killed, the node drained and resumed, a result cut
        let (fleet, work) = (try BatchFleet(), try TemporaryFolder())
        let package = ExternalProgram.packageFolder
        let result = try BatchFleet.run(
            [
                "\(package)/Tests/IntegrationTests/Batch/slurm-check", fleet.results,
                "\(package)/clients/batch/slurm.sh", work.path,
            ], environment: fleet.environment, seconds: 900)
        #expect(result.exitCode == 0, "\(result)")
        // THEN every recording but the damaged one has its result, and the table says why that one has none
        #expect(fleet.rows("kept").count == fleet.count - 1, "\(result)")
        #expect(fleet.rows("failed").count == 1 && fleet.rows("failed").allSatisfy { $0.contains("gyro_x_rad_s") })
        #expect(fleet.folder.text(of: "results/fleet.csv").contains("\r\nbus0,3,"))
    }

    @Test(.enabled(if: ExternalProgram.has("parallel"), "GNU parallel is not installed"))
    func parallelRunsAPlanAndCollectsIt() throws {
        // GIVEN a plan WHEN GNU parallel runs it THEN all but the damaged recording are done, and the tables are there
        let fleet = try BatchFleet()
        let path = "\(ExternalProgram.buildFolder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let script = "\(ExternalProgram.packageFolder)/clients/batch/parallel.sh"
        let result = try ExternalProgram.run(
            script, [fleet.results, "\(fleet.count)", "--jobs", "2"], environment: ["PATH": path])
        #expect(result.exitCode == 1 && result.errors.contains("5 of 6 done"), "\(result)")
        #expect(fleet.folder.text(of: "results/fleet.md").contains("## bus1"))
        #expect(fleet.folder.text(of: "results/fleet.geojson").contains("\"bad_share\""))
        // WHEN a task that is done is given again THEN nothing is done again
        let page = "\(fleet.results)/d0.html"
        let before = try FileManager.default.attributesOfItem(atPath: page)[.modificationDate] as? Date
        #expect(try fleet.posectl("run", "\(fleet.results)/manifest.json", "--task", "0").exitCode == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: page)[.modificationDate] as? Date == before)
        // WHEN a task does not exist THEN that is said
        let none = try fleet.posectl("run", "\(fleet.results)/manifest.json", "--task", "99")
        #expect(none.exitCode == 65 && none.errors.contains("there is no task 99"), "\(none)")
    }
}
