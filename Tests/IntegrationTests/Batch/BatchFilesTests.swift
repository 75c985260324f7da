import Foundation
import Glibc
import Testing

/// The files for schedulers that cannot run here: they are checked by the scheduler's own definitions, and their
/// commands are run as it would run them.
@Suite struct BatchFilesTests {
    private static let python = PythonEnvironment.with("kubernetes-validate", module: "kubernetes_validate")
    private static let files = "\(ExternalProgram.packageFolder)/clients/batch"

    /// The command of the Job's container, with the variable that Kubernetes sets for an index.
    private static func command(of index: Int, results: String) throws -> [String] {
        let script =
            "import json,sys,yaml; "
            + "job=yaml.safe_load(open(sys.argv[1])); "
            + "print(json.dumps(job['spec']['template']['spec']['containers'][0]['command']))"
        let read = try ExternalProgram.run(try #require(python), ["-c", script, "\(files)/kubernetes.yaml"])
        let words = try JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [String]
        return try #require(words, "\(read)").map {
            $0.replacing("$(JOB_COMPLETION_INDEX)", with: "\(index)").replacing("/data/results", with: results)
        }
    }

    @Test(.enabled(if: python != nil, "kubernetes-validate is not installed and cannot be had"))
    func theJobIsValidAndItsPodsDoThePlan() throws {
        // GIVEN the Job WHEN the definitions of two releases check it THEN it has no unknown and no missing member
        let python = try #require(Self.python)
        let validator = "\(URL(fileURLWithPath: python).deletingLastPathComponent().path)/kubernetes-validate"
        for release in ["1.29.0", "1.37.0"] {
            let result = try ExternalProgram.run(
                validator, ["--strict", "-k", release, "\(Self.files)/kubernetes.yaml"])
            #expect(result.exitCode == 0, "\(release): \(result)")
        }
        // WHEN the command of each pod runs as Kubernetes runs it, in any order and one of them twice THEN those of
        // whole recordings succeed, that of the damaged one fails, and the table is complete
        let fleet = try BatchFleet()
        var codes: [Int32?] = []
        for index in [4, 0, 5, 1, 3, 2, 4] {
            let words = try Self.command(of: index, results: fleet.results)
            let environment = fleet.environment.merging(["JOB_COMPLETION_INDEX": "\(index)"]) { $1 }
            codes.append(
                try ExternalProgram.run("env", words, environment: environment).exitCode)
        }
        #expect(codes.count { $0 == 0 } == 6 && codes.count { $0 == 1 } == 1, "\(codes)")
        #expect(try fleet.collect().errors.contains("5 of 6 done"))
    }

    @Test(
        .enabled(
            if: ExternalProgram.has("systemd-analyze", "systemd-run", "python3"), "systemd or python3 is not installed")
    )
    func systemdRunGetsValidPropertiesAndItsCommandDoesThePlan() throws {
        // GIVEN a systemd-run that keeps the properties and runs the command itself, because no systemd runs here
        let fleet = try BatchFleet()
        let stub = """
            #!/bin/sh
            printf '[Service]\\nExecStart=/bin/true\\n' > '\(fleet.folder.path)/t.service'
            while :; do
                case $1 in
                --property=*) echo "${1#--property=}" >> '\(fleet.folder.path)/t.service' ;;
                --working-directory=*) cd "${1#--working-directory=}" ;;
                --*) echo "${1%%=*}" >> '\(fleet.folder.path)/options' ;;
                *) break ;;
                esac
                shift
            done
            exec "$@"
            """
        try fleet.folder.write(stub, to: "systemd-run")
        chmod("\(fleet.folder.path)/systemd-run", 0o755)
        let path = ["PATH": "\(fleet.folder.path):\(fleet.environment["PATH"] ?? "")"]
        // WHEN the script runs THEN all but the damaged recording are done, by a worker for each core
        let result = try BatchFleet.run(
            ["\(Self.files)/systemd-run.sh", fleet.results], environment: path, seconds: 300)
        #expect(result.exitCode == 1 && result.errors.contains("5 of 6 done"), "\(result)")
        // THEN systemd's own checker takes the properties, and the real program has the options
        let checked = try ExternalProgram.run("systemd-analyze", ["verify", "\(fleet.folder.path)/t.service"])
        #expect(checked.exitCode == 0 && !checked.errors.contains("t.service:"), "\(checked)")
        #expect(fleet.folder.text(of: "t.service").contains("MemoryMax=2G"))
        let help = try ExternalProgram.run("systemd-run", ["--help"]).output
        let options = fleet.folder.text(of: "options").split(separator: "\n")
        #expect(options.count == 3 && options.allSatisfy { help.contains($0) }, "\(options)")
    }

    @Test func aSlurmArrayOfPartsCoversThePlan() throws {
        // GIVEN a cluster that allows fewer tasks than there are recordings WHEN each of four parts runs
        let fleet = try BatchFleet()
        for part in 0..<4 {
            let environment = fleet.environment.merging(["SLURM_ARRAY_TASK_ID": "\(part)", "PARTS": "4"]) { $1 }
            _ = try ExternalProgram.run(
                "sh", ["\(Self.files)/slurm.sh", fleet.results], environment: environment)
        }
        // THEN every recording was done
        #expect(try fleet.collect().errors.contains("5 of 6 done"))
    }
}
