import Glibc
import RoadMaps
import Testing

@testable import WebServer

@Suite struct PageFilesTests {
    @Test func theFilesOfAFolderAreServedByTheirPaths() throws {
        // GIVEN a folder with a page, a script and what is no part of a page
        let folder = ImportFolder()
        folder.write(Array("<html>".utf8), to: "index.html")
        folder.write(Array("let a;".utf8), to: "a.js")
        folder.write(Array("secret".utf8), to: "key.pem")
        folder.write(Array("secret".utf8), to: ".hidden.js")
        // WHEN it is read THEN the page is at its name and at the root, with types and tags of their own
        let files = try PageFiles(folder: folder.path).files
        #expect(files.keys.sorted() == ["/", "/a.js", "/index.html"])
        #expect(
            files["/"]?.type == "text/html; charset=utf-8" && files["/a.js"]?.type == "text/javascript; charset=utf-8")
        #expect(files["/"]?.tag != files["/a.js"]?.tag)
    }

    @Test func aPageHasAtMost4MiB() throws {
        // GIVEN a page with a script of 6 MiB, of zeros, which need no room WHEN it is read THEN no more than 4 MiB of
        // page and script together are kept in memory
        let folder = ImportFolder()
        folder.write(Array("<html>".utf8), to: "index.html")
        let path = folder.write([], to: "z.js")
        #expect(truncate(path, 6 * 1_048_576) == 0)
        let files = try PageFiles(folder: folder.path).files
        #expect(files["/index.html"]?.data.count == 6 && files["/z.js"]?.data.count == 4_194_298)
    }

    @Test func aFolderWithoutAPageIsRefusedWithTheRemedy() {
        #expect { try PageFiles(folder: "/nowhere") } throws: { "\($0)".contains("--page") }
    }

    @Test func thePageIsFoundBesideTheProgramOrInTheSources() {
        #expect(PageFiles.folder(program: "/opt/x/bin/posed-web") == "/opt/x/share/posed/web")
        #expect(PageFiles.folder(program: nil) == "/usr/share/posed/web")
        // The tests run below the sources, whose page is there.
        let program = CommandLine.arguments[0]
        if program.contains("/.build/") { #expect(PageFiles.folder(program: program).hasSuffix("/web")) }
    }

    @Test func thePageIsSmall() throws {
        // GIVEN the page of the sources THEN it has at most 300 kB
        let files = try PageFiles(folder: ImportFolder.pageFolder).files
        let bytes = files.filter { $0.key != "/" }.values.reduce(0) { $0 + $1.data.count }
        #expect(files.count > 20 && bytes <= 300_000, "\(bytes) bytes")
        // THEN no file names another server
        for (path, file) in files {
            let text = String(decoding: file.data, as: UTF8.self)
            let addresses = text.matches(of: /https?:\/\/[^"'\s)]+/).map { String($0.output) }
            #expect(addresses.allSatisfy { $0 == "http://www.w3.org/2000/svg" }, "\(path): \(addresses)")
        }
    }
}

extension ImportFolder {
    /// The folder of the page in the sources.
    static var pageFolder: String { #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/web" }
}
