import Foundation
import Glibc
import Testing

/// What `make install` installs: documents with their links, manual pages, completions.
@Suite struct InstalledFilesTests {
    private static let package = ExternalProgram.packageFolder

    /// Runs make in the package with the programs of a folder, installing below `root`; the umask keeps what is made
    /// without a mode of its own from all other users.
    private static func make(_ target: String, programs: String, root: String) throws -> ProgramResult {
        try ExternalProgram.run(
            "sh",
            [
                "-c", "umask 077 && exec make \"$@\"", "make", "--silent", "-C", package, target, "BIN=\(programs)",
                "DESTDIR=\(root)", "PREFIX=/usr",
            ])
    }

    /// The files below a folder, with their paths from it.
    private static func files(_ folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            var isFolder = ObjCBool(false)
            return FileManager.default.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    /// Writes manual and completions of the tests' programs, and stand-ins for the programs.
    private static func prepare(_ programs: String) throws {
        let written = try ExternalProgram.run(
            "\(package)/scripts/manual", [ExternalProgram.buildFolder, "\(programs)/manual"])
        #expect(written.exitCode == 0, "\(written)")
        for name in ["posed", "posectl", "posed-routing", "posed-bridge", "posed-web"] {
            try "#!/bin/sh\n".write(toFile: "\(programs)/\(name)", atomically: false, encoding: .utf8)
        }
    }

    /// Installs below a folder; where the programs come from, and the root of the installation.
    private static func install(in folder: TemporaryFolder) throws -> (programs: String, root: String) {
        let (programs, root) = ("\(folder.path)/bin", "\(folder.path)/root")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        try prepare(programs)
        let made = try make("install", programs: programs, root: root)
        #expect(made.exitCode == 0, "\(made)")
        return (programs, root)
    }

    @Test(.enabled(if: ExternalProgram.has("make"), "make is not installed"))
    func nothingIsInstalledBeforeItIsBuilt() throws {
        // GIVEN nothing that was built WHEN it is installed THEN a message says what to do, and nothing is installed
        let folder = try TemporaryFolder()
        let result = try Self.make("install", programs: "\(folder.path)/empty", root: "\(folder.path)/root")
        #expect(result.exitCode == 2)
        let message = """
            Nothing was installed: \(folder.path)/empty/posed does not exist.
            Run `make release` first, as the user who owns this folder; then `sudo make install`.

            """
        #expect(result.errors.hasPrefix(message), "\(result)")
        #expect(Self.files("\(folder.path)/root").isEmpty)
    }

    @Test(.enabled(if: ExternalProgram.has("make", "cc", "python3"), "make, cc or python3 is not installed"))
    func everyLinkOfTheInstalledReadmeLeadsToADocument() throws {
        // GIVEN an installation
        let folder = try TemporaryFolder()
        let (programs, root) = try Self.install(in: folder)
        // THEN each link of README and of the guides leads to an installed file
        let documents = "\(root)/usr/share/doc/posed"
        let guides = Self.files(documents).filter { $0.hasPrefix("docs/guides/") }
        var count = 0
        for page in ["README.md"] + guides {
            let text = try String(contentsOfFile: "\(documents)/\(page)", encoding: .utf8)
            let place = URL(fileURLWithPath: "\(documents)/\(page)").deletingLastPathComponent().path
            for match in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
                count += 1
                #expect(
                    FileManager.default.fileExists(atPath: "\(place)/\(match.1)"), "\(page) links to \(match.1)")
            }
        }
        #expect(count >= 15)
        // THEN the units name the installed paths, and every drop-in is there
        #expect(Self.files("\(root)/usr/share/posed/drop-ins").contains("real-time.conf"))
        #expect(Self.files("\(root)/usr/share/posed/apparmor") == ["posed"])
        let files = Self.files(root)
        let pages = ["man8/posed.8", "man1/posectl.1", "man5/posed.yaml.5", "man8/posed-routing.8"]
        for file in pages + ["man8/posed-bridge.8", "man8/posed-web.8"] {
            #expect(files.contains("usr/share/man/\(file)"))
        }
        #expect(files.contains("usr/share/bash-completion/completions/posectl"))
        // THEN the page of the web server is there as a whole
        let page = Self.files("\(Self.package)/web").filter { !$0.hasSuffix(".md") }
        #expect(page.count > 20 && page.contains("index.html"))
        for file in page { #expect(files.contains("usr/share/posed/web/\(file)"), "\(file)") }
        // WHEN it is removed THEN nothing is left
        let removed = try Self.make("uninstall", programs: programs, root: root)
        #expect(removed.exitCode == 0, "\(removed)")
        #expect(Self.files(root) == [], "left behind")
    }

    @Test(.enabled(if: ExternalProgram.has("make"), "make is not installed"))
    func whatRunsIsNotUninstalled() throws {
        // GIVEN an installed unit of which a service manager says that it runs, or is enabled, and one of another place
        for (word, unit) in [("is-active", "posed-web.service"), ("is-enabled", "posed-trigger.service")] {
            let folder = try TemporaryFolder()
            try folder.write("", to: unit)
            let answers = """
                #!/bin/sh
                case "$*" in
                    *FragmentPath*posed.service) echo /elsewhere/posed.service ;;
                    *FragmentPath*) for unit; do :; done; echo "\(folder.path)/$unit" ;;
                    *\(word)*\(unit) | *is-*posed.service) exit 0 ;;
                    *) exit 3 ;;
                esac

                """
            try folder.write(answers, to: "systemctl")
            #expect(chmod("\(folder.path)/systemctl", 0o755) == 0)
            // WHEN everything is to be removed THEN the unit stays, and the command that ends it is told
            let folders = ["PREFIX", "UNITDIR", "RULESDIR"].map { "\($0)=\(folder.path)" }
            let path = "\(folder.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
            let arguments = ["--silent", "-C", Self.package, "uninstall", "DESTDIR="] + folders
            let result = try ExternalProgram.run("make", arguments, environment: ["PATH": path])
            #expect(result.exitCode == 2)
            let told = """
                Nothing was removed: a unit runs, or is enabled. First:
                sudo systemctl disable --now \(unit)

                """
            #expect(result.errors.hasPrefix(told), "\(result)")
            #expect(access("\(folder.path)/\(unit)", F_OK) == 0)
        }
    }

    @Test(.enabled(if: ExternalProgram.has("make", "cc", "python3"), "make, cc or python3 is not installed"))
    func everyUserMayReadWhatIsInstalled() throws {
        // GIVEN an installation under a umask that gives nothing to others
        let folder = try TemporaryFolder()
        let (_, root) = try Self.install(in: folder)
        // THEN all may read each file
        let files = Self.files(root)
        #expect(files.contains("usr/lib/systemd/system/posed.service"))
        #expect(files.contains("usr/lib/pkgconfig/posed-client.pc"))
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(file)")
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o444 == 0o444, "\(file) has the mode \(String(mode, radix: 8))")
        }
    }

    @Test(.enabled(if: ExternalProgram.has("python3", "groff"), "python3 or groff is not installed"))
    func manualAndCompletionsAreComplete() throws {
        // GIVEN the pages made from the help of the programs WHEN groff formats them THEN it has no warning, and each
        // command, option and setting is there
        let folder = try TemporaryFolder()
        try Self.prepare(folder.path)
        var text: [String: String] = [:]
        for page in Self.files("\(folder.path)/manual/man") {
            let path = "\(folder.path)/manual/man/\(page)"
            let result = try ExternalProgram.run("groff", ["-man", "-Tascii", "-P-cbou", "-ww", "-rLL=200n", path])
            #expect(result.exitCode == 0 && result.errors == "", "\(page): \(result.errors)")
            text[page] = result.output
            guard ExternalProgram.has("mandoc") else { continue }
            let lint = try ExternalProgram.run("mandoc", ["-T", "lint", "-W", "warning", path])
            #expect(lint.exitCode == 0 && lint.output == "", "\(page): \(lint.output)")
        }
        let programs = ["posed", "posed-bridge", "posed-routing", "posed-web"]
        #expect(Set(text.keys) == Set(programs.map { "\($0).8" } + ["posectl.1", "posed.yaml.5"]))
        for words in [
            "posectl route load", "posectl roads import", "--smooth", "$POSED_STREAM", "Exit status: 0 healthy",
        ] {
            #expect(text["posectl.1"]?.contains(words) == true, "\(words)")
        }
        #expect(text["posed.8"]?.contains("--print-config") == true && text["posed.8"]?.contains("SIGHUP") == true)
        let settings = try String(contentsOfFile: "\(Self.package)/docs/settings.md", encoding: .utf8)
        let keys = settings.matches(of: /(?m)^\| `([a-z0-9_.]+)`/).map(\.1)
        #expect(keys.count > 80)
        for key in keys { #expect(text["posed.yaml.5"]?.contains(" \(key)") == true, "\(key)") }
        // THEN the shells that are installed understand the completions
        for (shell, name) in [("bash", "posectl"), ("zsh", "_posectl"), ("fish", "posectl.fish"), ("bash", "posed")]
        where ExternalProgram.has(shell) {
            let file = "\(folder.path)/manual/completions/\(shell)/\(name)"
            let result = try ExternalProgram.run(shell, ["-n", file])
            #expect(result.exitCode == 0 && result.errors == "", "\(name): \(result)")
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("posed") == true)
        }
    }
}
