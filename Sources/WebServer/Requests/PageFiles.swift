import Files
import Glibc
import Platform

import struct Foundation.Data

/// The files of the page, read once at the start: no request reads the disk, and no path leads out of the folder.
struct PageFiles: Sendable {
    /// One file.
    struct File: Sendable {
        /// Its content.
        var data: Data
        /// Its MIME type.
        var type: String
        /// Identifies its content.
        var tag: String
    }

    /// Longest file and longest page, bytes: ten times the present ones.
    private static let sizeLimit = 4 << 20
    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml", "webmanifest": "application/manifest+json",
    ]

    /// The files by the path of their request.
    let files: [String: File]

    /// Reads the files of a folder and of the folders in it.
    init(folder: String) throws(WebProblem) {
        var files: [String: File] = [:]
        var remaining = Self.sizeLimit
        for (path, place) in Self.paths(in: folder) {
            guard let type = Self.types[String(path.split(separator: ".").last ?? "")] else { continue }
            let bytes: [UInt8]
            do throws(FileFault) {
                bytes = try RegularFile(place).bytes(count: remaining)
            } catch {
                throw WebProblem("\(place): \(error.reason); install posed-web again")
            }
            remaining -= bytes.count
            files["/" + path] = File(data: Data(bytes), type: type, tag: "\"\(Self.digest(bytes))\"")
        }
        guard let index = files["/index.html"] else {
            throw WebProblem("\(folder): has no page; install posed-web again, or name its folder with --page")
        }
        files["/"] = index
        self.files = files
    }

    /// The folder of the page: installed beside the program, or in the sources of which it was built.
    ///
    /// - Parameter program: the program's absolute path; `nil` if it is unknown.
    static func folder(program: String?) -> String {
        let installed = "/usr/share/posed/web"
        guard let program else { return installed }
        var folders = program.split(separator: "/").dropLast()
        var candidates: [String] = []
        if !folders.isEmpty {
            candidates.append(folders.dropLast().map { "/\($0)" }.joined() + "/share/posed/web")
        }
        // SwiftPM builds into .build/ARCHITECTURE/CONFIGURATION below the sources.
        if let build = folders.lastIndex(of: ".build") {
            folders.removeSubrange(build...)
            candidates.append(folders.map { "/\($0)" }.joined() + "/web")
        }
        return candidates.first { access($0 + "/index.html", R_OK) == 0 } ?? candidates.first ?? installed
    }

    /// The files of a folder and of the folders in it: the path of the request, and where the file is.
    private static func paths(in folder: String) -> [(path: String, place: String)] {
        var found: [(String, String)] = []
        for name in FolderNames.names(in: folder) where !name.hasPrefix(".") {
            let place = "\(folder)/\(name)"
            if name.contains(".") {
                found.append((name, place))
            } else {
                found += FolderNames.names(in: place).filter { !$0.hasPrefix(".") }.map {
                    ("\(name)/\($0)", "\(place)/\($0)")
                }
            }
        }
        return found
    }

    /// FNV-1a of 64 bits: it tells a changed file from an old one, no more.
    private static func digest(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
