// swift-tools-version: 6.2
import PackageDescription

/// The pure core is compiled with optimisation in debug builds too: unoptimised fixed-size matrices are about 480 times
/// slower, and the tests replay whole drives through them.
let numeric: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// The estimators and what feeds them are optimised as whole modules, as in release builds: otherwise no function is
/// inlined across files.
let wholeModule: [SwiftSetting] = [
    .unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))
]

let package = Package(
    name: "posed",
    products: [
        .executable(name: "posed", targets: ["posed"]),
        .executable(name: "posectl", targets: ["posectl"]),
        .executable(name: "posed-routing", targets: ["posed-routing"]),
        .executable(name: "posed-bridge", targets: ["posed-bridge"]),
        .executable(name: "posed-web", targets: ["posed-web"]),
        .library(name: "PosedFrames", targets: ["Frames"]),
        .library(name: "PosedClient", targets: ["PosedClient", "Frames"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .systemLibrary(name: "CGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .target(name: "CSystem", exclude: ["README.md"]),
        .target(name: "CCAN", exclude: ["README.md"]),
        .target(name: "CPosed", exclude: ["README.md"]),

        // The pure core: the same input gives the same output to the bit.
        .target(name: "PoseMath", exclude: ["README.md"], swiftSettings: wholeModule),
        .target(name: "Geodesy", dependencies: ["PoseMath"], exclude: ["README.md"], swiftSettings: wholeModule),
        .target(name: "Measurements", dependencies: ["PoseMath"], exclude: ["README.md"], swiftSettings: wholeModule),
        .target(
            name: "Fusion", dependencies: ["PoseMath", "Geodesy", "Measurements"], exclude: ["README.md"],
            swiftSettings: wholeModule),
        .target(
            name: "Calibration", dependencies: ["PoseMath", "Measurements"], exclude: ["README.md"],
            swiftSettings: wholeModule),
        .target(
            name: "Guidance", dependencies: ["PoseMath", "Geodesy"], exclude: ["README.md"],
            swiftSettings: wholeModule),
        .target(
            name: "Roads", dependencies: ["PoseMath", "Geodesy", "Guidance"], exclude: ["README.md"],
            swiftSettings: numeric),
        .target(
            name: "Scene", dependencies: ["PoseMath", "Geodesy", "Guidance"], exclude: ["README.md"],
            swiftSettings: numeric),
        .target(name: "SeededNumbers", exclude: ["README.md"], swiftSettings: numeric),
        .target(
            name: "Simulation", dependencies: ["PoseMath", "Geodesy", "Measurements", "Fusion", "SeededNumbers"],
            exclude: ["README.md"], swiftSettings: wholeModule),

        // Formats and files.
        .target(name: "DecimalNumbers", exclude: ["README.md"], swiftSettings: numeric),
        .target(
            name: "BoundedJSON", dependencies: ["DecimalNumbers"], exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "Files", dependencies: ["CSystem"], exclude: ["README.md"]),
        .target(
            name: "Frames", dependencies: ["CPosed", "CSystem"], exclude: ["README.md"], swiftSettings: numeric),
        // For programs that read the daemon's sockets; the daemon does not use it.
        .target(
            name: "PosedClient", dependencies: ["Frames", "BoundedJSON", "CPosed", "CSystem"], exclude: ["README.md"],
            swiftSettings: numeric),
        .target(
            name: "Engine", dependencies: ["PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Frames"],
            exclude: ["README.md"], swiftSettings: wholeModule),
        .target(
            name: "RoadData",
            dependencies: ["PoseMath", "Geodesy", "Guidance", "Roads", "BoundedJSON", "Files", "CExpat", "CZlib"],
            exclude: ["README.md"]),
        .target(
            name: "MCAP", dependencies: ["Files", "CZlib", "CZstd"], exclude: ["README.md"], swiftSettings: numeric),
        .target(
            name: "DriveRecording",
            dependencies: ["PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Frames", "Engine", "MCAP"],
            exclude: ["README.md"], swiftSettings: numeric),
        .target(
            name: "Recording", dependencies: ["PoseMath", "Measurements", "DecimalNumbers", "Files"],
            exclude: ["README.md"]),

        // The operating system, and the sensors.
        .target(name: "Platform", dependencies: ["PoseMath", "CSystem"], exclude: ["README.md"]),
        .target(
            name: "SensorInterface", dependencies: ["PoseMath", "Measurements", "Calibration"], exclude: ["README.md"]),
        .target(
            name: "GpsdReports", dependencies: ["PoseMath", "Measurements", "SensorInterface"],
            exclude: ["README.md"], swiftSettings: numeric),
        // Optimised in debug builds too: unoptimised loops allocate, and the tests hold the path of the samples to
        // none.
        .target(
            name: "Sensors",
            dependencies: [
                "PoseMath", "Measurements", "Calibration", "Platform", "SensorInterface", "GpsdReports", "CGPS", "CIIO",
                "CCAN", "CSystem",
            ], exclude: ["README.md"], swiftSettings: numeric),

        // The parts of the daemon.
        .target(
            name: "EngineRuntime",
            dependencies: [
                "PoseMath", "Measurements", "Fusion", "Guidance", "Frames", "Engine", "Platform", "SensorInterface",
                "CSystem",
            ], exclude: ["README.md"]),
        .target(
            name: "JournalLog", dependencies: ["Platform", .product(name: "Logging", package: "swift-log")],
            exclude: ["README.md"]),
        .target(
            name: "Publishing",
            dependencies: [
                "PoseMath", "Frames", "Engine", "Platform", "EngineRuntime", "CPosed", "CSystem",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .target(
            name: "Routing",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Frames", "RoadData", "BoundedJSON", "Platform", "RoutingProtocol",
                "CSystem",
            ], exclude: ["README.md"]),
        .target(
            name: "Horizon",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Roads", "Scene", "Frames", "RoadData", "Platform",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .target(
            name: "SavedState",
            dependencies: [
                "PoseMath", "Geodesy", "Fusion", "Calibration", "Frames", "BoundedJSON", "Files", "Platform",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .target(
            name: "Recorder",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Frames", "Engine", "MCAP", "DriveRecording", "Files",
                "Platform", "EngineRuntime", "Publishing",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .target(
            name: "Configuration",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Engine", "RoadData", "Files", "Platform", "SensorInterface",
                "Routing", "Horizon", "DriveRecording", "Recorder", "CYAML",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .target(
            name: "Commands",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Calibration", "Fusion", "Guidance", "Scene", "Frames", "Engine",
                "RoadData", "BoundedJSON", "Platform", "SensorInterface", "EngineRuntime", "Publishing", "Routing",
                "Horizon", "Recorder",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .target(
            name: "Demo",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Simulation", "BoundedJSON", "Platform", "SensorInterface",
            ], exclude: ["README.md"]),
        .target(
            name: "Daemon",
            dependencies: [
                "PoseMath", "Measurements", "Calibration", "Frames", "Platform", "SensorInterface", "Sensors",
                "EngineRuntime", "JournalLog", "Publishing", "Horizon", "SavedState", "Configuration", "Commands",
                "Demo", "DriveRecording", "Recorder", "CSystem",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .executableTarget(
            name: "posed",
            dependencies: [
                "Files", "Configuration", "Daemon", "Platform",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], exclude: ["README.md"]),

        // The requests to routing servers, in a program of their own: libcurl costs 7 MiB while it is used.
        .target(name: "RoutingProtocol", exclude: ["README.md"]),
        .target(name: "HTTPTransfer", dependencies: ["RoutingProtocol", "CCurl"], exclude: ["README.md"]),
        .executableTarget(
            name: "posed-routing", dependencies: ["HTTPTransfer", "RoutingProtocol", "CSystem"],
            exclude: ["README.md"]),

        // The connection to a fleet, in a program of its own: it uses the network, and OpenSSL costs some MiB.
        .target(name: "MessageStore", dependencies: ["Files", "CZlib"], exclude: ["README.md"]),
        .target(name: "MQTT", dependencies: ["CMosquitto"], exclude: ["README.md"]),
        .target(
            name: "Bridge",
            dependencies: [
                "Frames", "PosedClient", "BoundedJSON", "Files", "Platform", "PoseMath", "MessageStore", "MQTT",
                "Configuration", "Publishing", "CCrypto", "CSystem", .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .executableTarget(
            name: "posed-bridge",
            dependencies: [
                "Bridge", "CSystem", "Configuration", "Files", "JournalLog", "Platform",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], exclude: ["README.md"]),

        // What posectl shows and does: without libgps and libiio.
        .target(
            name: "Replay",
            dependencies: [
                "PoseMath", "Measurements", "Calibration", "Fusion", "Guidance", "Roads", "Recording", "Frames",
                "Engine", "RoadData", "Files", "Horizon", "MCAP", "DriveRecording",
            ], exclude: ["README.md"]),
        .target(
            name: "Conversion",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "DecimalNumbers", "BoundedJSON", "Files", "Frames", "Engine",
                "MCAP", "DriveRecording", "Recording", "Platform", "SensorInterface", "GpsdReports", "Replay",
                "CSystem",
            ], exclude: ["README.md"]),
        .target(
            name: "Scenarios",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Guidance", "Roads", "Simulation", "Frames", "Engine",
                "RoadData", "Files", "Recording", "Replay", "Conversion", "Platform", "Configuration", "Demo",
                "CSystem",
            ], exclude: ["README.md"],
            resources: [
                .embedInCode("Library/demo.yaml"),
                .embedInCode("Library/open_sky.yaml"),
                .embedInCode("Library/tunnel.yaml"),
                .embedInCode("Library/canyon.yaml"),
                .embedInCode("Library/jamming.yaml"),
                .embedInCode("Library/late_receiver.yaml"),
                .embedInCode("Library/slow_receiver.yaml"),
                .embedInCode("Library/antenna_arm.yaml"),
                .embedInCode("Library/noisy_gyro.yaml"),
                .embedInCode("Library/gyro_stuck.yaml"),
                .embedInCode("Library/stop_and_go.yaml"),
                .embedInCode("Library/survey.yaml"),
            ], swiftSettings: numeric),
        .target(
            name: "Batch",
            dependencies: ["Frames", "BoundedJSON", "Files", "Recording", "Replay", "Conversion", "Platform"],
            exclude: ["README.md"]),
        .target(
            name: "Report",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Roads", "Frames", "Engine", "RoadData",
                "Recording", "DriveRecording", "Files", "Platform", "Replay", "Conversion",
            ], exclude: ["README.md"],
            resources: [
                .embedInCode("Page/report.html"), .embedInCode("Page/report.css"), .embedInCode("Page/data.js"),
                .embedInCode("Page/charts.js"), .embedInCode("Page/map.js"), .embedInCode("Page/page.js"),
            ], swiftSettings: numeric),
        .target(
            name: "Playback",
            dependencies: [
                "PoseMath", "Measurements", "Guidance", "Frames", "Recording", "Engine", "Platform", "SensorInterface",
                "EngineRuntime", "JournalLog", "Publishing", "Horizon", "Configuration", "Commands", "Replay",
                "CSystem",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .target(name: "Explanation", dependencies: ["Frames"], exclude: ["README.md"], swiftSettings: numeric),
        .target(
            name: "Monitor",
            dependencies: [
                "PoseMath", "Measurements", "Calibration", "Fusion", "Frames", "PosedClient", "BoundedJSON", "Files",
                "Platform", "CSystem", "Explanation",
            ], exclude: ["README.md"]),
        .target(
            name: "Doctor",
            dependencies: [
                "PoseMath", "Frames", "BoundedJSON", "Files", "Platform", "SensorInterface", "GpsdReports",
                "SavedState", "Configuration", "CSystem",
            ], exclude: ["README.md"]),
        .executableTarget(
            name: "posectl",
            dependencies: [
                "Geodesy", "Measurements", "Calibration", "Fusion", "Roads", "Frames", "Engine", "RoadData", "Files",
                "DriveRecording", "Recording", "Conversion", "SavedState", "Configuration", "Replay", "Playback",
                "Monitor", "Doctor", "Platform", "Explanation", "Report", "Scenarios", "Batch", "BoundedJSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], exclude: ["README.md"]),

        // The web page, in a program of its own: it reads the daemon as any other client does.
        .target(
            name: "WebServer",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Roads", "RoadData", "Engine", "Frames", "PosedClient",
                "BoundedJSON", "MCAP", "DriveRecording", "Files", "Platform", "CSystem",
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .executableTarget(
            name: "posed-web",
            dependencies: [
                "WebServer", "JournalLog", "Platform",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),

        // The client libraries' example; those in C and Python lie beside it.
        .executableTarget(name: "posed-hud-example", dependencies: ["Frames", "PosedClient"], path: "clients/swift"),

        .target(name: "CBench", path: "bench/CBench"),
        .executableTarget(
            name: "posed-bench",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Roads", "Scene", "Simulation",
                "Frames", "Engine", "RoadData", "DriveRecording", "SensorInterface", "Sensors", "Commands", "Platform",
                "Demo", "CBench", "CPosed", "ChildPrograms",
            ], path: "bench/posed-bench"),
        // The programs that the benchmarks start.
        .target(name: "ChildPrograms", dependencies: ["CSystem"], path: "bench/child-programs"),
        // Ten thousand simulated boards against an MQTT broker.
        .executableTarget(
            name: "posed-fleet", dependencies: ["Bridge", "Frames", "MessageStore", "CSystem", "ChildPrograms"],
            path: "bench/posed-fleet", swiftSettings: numeric),
        // The figures of `make accuracy` on simulated drives.
        .executableTarget(
            name: "posed-accuracy",
            dependencies: [
                "DriveTrials", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "bench/posed-accuracy"),

        // Reads docs/math.md, Package.swift and the sources as text.
        .testTarget(name: "DocumentationTests", dependencies: ["RunPrograms"]),
        .testTarget(name: "FilesTests", dependencies: ["Files"]),
        .testTarget(name: "PoseMathTests", dependencies: ["PoseMath", "SeededNumbers"]),
        .testTarget(name: "GeodesyTests", dependencies: ["PoseMath", "Geodesy", "SeededNumbers"]),
        .testTarget(
            name: "FusionTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Simulation", "Recording", "DriveTrials",
            ], exclude: ["Resources"]),
        // Simulated drives that are judged as a whole, for tests and for `make accuracy`.
        .target(
            name: "DriveTrials", dependencies: ["PoseMath", "Geodesy", "Measurements", "Fusion", "Simulation"],
            path: "Tests/Support/DriveTrials", swiftSettings: numeric),
        .testTarget(name: "DecimalNumbersTests", dependencies: ["DecimalNumbers", "SeededNumbers"]),
        .testTarget(name: "BoundedJSONTests", dependencies: ["BoundedJSON", "SeededNumbers"]),
        .testTarget(
            name: "CalibrationTests", dependencies: ["PoseMath", "Measurements", "Calibration", "SeededNumbers"],
            swiftSettings: numeric),
        .testTarget(
            name: "GuidanceTests",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Simulation", "RoadData", "RoadDrives", "SeededNumbers",
                "StoredTexts",
            ], exclude: ["Stored"]),
        // Drives on real roads by the thousand: optimised in debug builds too.
        .target(
            name: "RoadDrives",
            dependencies: ["PoseMath", "Geodesy", "Fusion", "Guidance", "Simulation", "RunPrograms"],
            path: "Tests/Support/RoadDrives", exclude: ["road_routes.py"], swiftSettings: numeric),
        .testTarget(
            name: "RoadsTests",
            dependencies: ["PoseMath", "Geodesy", "Guidance", "Roads", "SeededNumbers", "RoadMaps", "StoredTexts"],
            exclude: ["Resources", "Stored"]),
        .testTarget(name: "SceneTests", dependencies: ["PoseMath", "Geodesy", "Guidance", "Scene"]),
        .testTarget(
            name: "SimulationTests", dependencies: ["PoseMath", "Geodesy", "Measurements", "Fusion", "Simulation"]),
        // The lines of every test are checked against docs/frames.schema.json.
        .target(name: "SchemaCheck", path: "Tests/Support/SchemaCheck"),
        .target(name: "StoredTexts", path: "Tests/Support/StoredTexts"),
        // Programs that tests run to their end.
        .target(name: "RunPrograms", dependencies: ["CSystem"], path: "Tests/Support/RunPrograms"),
        // A process without a free descriptor.
        .target(name: "FullDescriptors", path: "Tests/Support/FullDescriptors"),
        .target(
            name: "KeptLog", dependencies: [.product(name: "Logging", package: "swift-log")],
            path: "Tests/Support/KeptLog"),
        .target(
            name: "PlayedDaemon", dependencies: ["Frames", "CSystem", "Platform"], path: "Tests/Support/PlayedDaemon"),
        .testTarget(
            name: "FramesTests", dependencies: ["Frames", "CPosed", "SchemaCheck", "SeededNumbers"],
            exclude: ["Golden"]),
        .testTarget(name: "PosedClientTests", dependencies: ["Frames", "PosedClient", "CSystem", "SeededNumbers"]),
        .testTarget(
            name: "EngineTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Simulation", "Frames", "Engine",
            ]),
        // Whole replays against kept results. Optimised in debug builds too: each frame passes through digests.
        .testTarget(
            name: "SnapshotTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Simulation", "Recording", "Frames",
                "Engine", "RoadData",
            ], exclude: ["README.md", "Snapshots"], swiftSettings: numeric),
        // Small maps in the form of OpenStreetMap, and the files of roads made of them.
        .target(
            name: "RoadMaps", dependencies: ["Roads", "RoadData", "CZlib"], path: "Tests/Support/RoadMaps"),
        .testTarget(
            name: "RoadDataTests",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Roads", "RoadData", "BoundedJSON", "SeededNumbers", "RoadMaps",
                "StoredTexts",
            ], exclude: ["OSM/Stored", "Stored"]),
        .testTarget(
            name: "MCAPTests", dependencies: ["MCAP", "SeededNumbers", "StoredTexts"], exclude: ["Stored"]),
        .testTarget(
            name: "DriveRecordingTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Frames", "Engine", "MCAP",
                "DriveRecording", "SeededNumbers", "StoredTexts",
            ], exclude: ["Stored"]),
        .testTarget(name: "RecordingTests", dependencies: ["PoseMath", "Measurements", "Recording", "SeededNumbers"]),
        .testTarget(
            name: "ConversionTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Simulation", "Recording", "Frames", "RoadData", "Replay",
                "SeededNumbers", "StoredTexts", "Conversion", "DriveRecording", "Engine", "Guidance",
            ], exclude: ["Stored"]),
        .testTarget(
            name: "ScenariosTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Simulation", "Recording", "Conversion", "Demo", "Scenarios",
                "Frames", "RoadMaps", "StoredTexts", "Platform", "CSystem",
            ], exclude: ["Stored"]),
        .testTarget(
            name: "BatchTests", dependencies: ["BoundedJSON", "DriveRecording", "Batch"], exclude: ["Programs"]),
        .testTarget(
            name: "ReportTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Simulation", "Recording", "Frames", "Engine",
                "BoundedJSON", "Replay", "SeededNumbers", "Report",
            ], swiftSettings: numeric),
        .testTarget(
            name: "RecorderTests",
            dependencies: [
                "PoseMath", "Measurements", "Frames", "Engine", "EngineRuntime", "Publishing", "MCAP", "DriveRecording",
                "Recorder", "KeptLog", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "PlatformTests", dependencies: ["Platform", "CSystem"]),
        .testTarget(
            name: "SensorInterfaceTests",
            dependencies: ["PoseMath", "Measurements", "SensorInterface", "Sensors", "SeededNumbers"],
            exclude: ["Resources"]),
        .testTarget(
            name: "SensorsTests",
            dependencies: [
                "PoseMath", "Measurements", "Calibration", "Platform", "SensorInterface", "GpsdReports", "Sensors",
                "SeededNumbers", "CSystem",
            ]),
        .testTarget(
            name: "EngineRuntimeTests",
            dependencies: [
                "PoseMath", "Measurements", "Frames", "Engine", "Platform", "SensorInterface", "EngineRuntime",
            ]),
        .testTarget(
            name: "JournalLogTests", dependencies: ["JournalLog", .product(name: "Logging", package: "swift-log")]),
        .testTarget(
            name: "PublishingTests",
            dependencies: [
                "PoseMath", "Frames", "Engine", "EngineRuntime", "Platform", "Publishing", "CSystem", "SeededNumbers",
                "FullDescriptors", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "RoutingProtocolTests", dependencies: ["SeededNumbers", "RoutingProtocol"]),
        .testTarget(name: "HTTPTransferTests", dependencies: ["RoutingProtocol", "HTTPTransfer"]),
        .testTarget(
            name: "RoutingTests",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Frames", "RoadData", "Platform", "Routing", "RoutingProtocol",
                "CSystem",
            ], exclude: ["Programs"]),
        .testTarget(name: "MessageStoreTests", dependencies: ["MessageStore", "SeededNumbers"]),
        .testTarget(
            name: "BridgeTests",
            dependencies: [
                "Frames", "BoundedJSON", "Files", "MQTT", "MessageStore", "Configuration", "Bridge", "SchemaCheck",
                "SeededNumbers", "StoredTexts", "PlayedDaemon", "CSystem", "Platform", "Publishing", "KeptLog",
                "FullDescriptors", .product(name: "Logging", package: "swift-log"),
            ], exclude: ["Stored"]),
        .testTarget(
            name: "HorizonTests",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Frames", "Platform", "RoadData", "Roads", "Scene", "Horizon",
                "KeptLog", "RoadMaps",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "SavedStateTests",
            dependencies: [
                "PoseMath", "Geodesy", "Calibration", "Fusion", "Frames", "Simulation", "SavedState", "KeptLog",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "ConfigurationTests", dependencies: ["SensorInterface", "Configuration", "SeededNumbers"]),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Scene", "Engine", "Frames", "RoadData",
                "BoundedJSON", "Calibration", "Platform", "SensorInterface", "EngineRuntime", "Horizon", "Publishing",
                "Recorder", "Routing", "Commands", "SeededNumbers", "StoredTexts",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["Stored"]),
        .testTarget(
            name: "DemoTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Simulation", "Recording", "Platform", "SensorInterface", "Demo",
            ]),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "PoseMath", "Measurements", "Fusion", "Platform", "SensorInterface", "EngineRuntime", "DriveRecording",
                "Publishing", "Configuration", "Daemon", "KeptLog", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ReplayTests",
            dependencies: [
                "PoseMath", "Measurements", "Calibration", "Simulation", "Recording", "DriveRecording", "Frames",
                "Engine", "EngineRuntime",
                "Platform", "Guidance", "RoadData", "Horizon", "Replay", "RoadMaps",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "PlaybackTests",
            dependencies: [
                "PoseMath", "Measurements", "Guidance", "Engine", "Recording", "Replay", "SensorInterface", "Platform",
                "Playback",
            ]),
        .testTarget(
            name: "DoctorTests",
            dependencies: [
                "Fusion", "Platform", "SensorInterface", "BoundedJSON", "Configuration", "Doctor", "RunPrograms",
            ]),
        // A hundred drives.
        .testTarget(
            name: "ExplanationTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Fusion", "Guidance", "Simulation", "Frames", "Engine", "Replay",
                "SeededNumbers", "StoredTexts", "Explanation",
            ], exclude: ["Stored"], swiftSettings: numeric),
        .testTarget(
            name: "MonitorTests",
            dependencies: [
                "PoseMath", "Measurements", "Calibration", "Frames", "BoundedJSON", "Platform", "Explanation",
                "Monitor", "CSystem", "StoredTexts", "PlayedDaemon",
            ], exclude: ["Stored"]),
        .testTarget(
            name: "posectlTests",
            dependencies: [
                "Calibration", "posectl", "StoredTexts", "PlayedDaemon", "Platform", "PoseMath", "Engine",
                "DriveRecording", "Replay", "RoadData",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], exclude: ["Stored"]),
        .testTarget(
            name: "WebServerTests",
            dependencies: [
                "PoseMath", "Geodesy", "Guidance", "Engine", "Frames", "BoundedJSON", "DriveRecording", "WebServer",
                "RoadMaps", "SeededNumbers", "StoredTexts", "KeptLog",
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["Stored"]),
        // Reads the stored inputs of the fuzzer by the fuzzer's own functions: fuzz/README.md.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "PoseMath", "Geodesy", "Measurements", "Roads", "Frames", "PosedClient", "Engine", "RoadData", "MCAP",
                "DriveRecording", "Recording", "SensorInterface", "GpsdReports", "Sensors", "RoutingProtocol",
                "MessageStore", "MQTT", "Bridge", "SavedState", "Configuration", "Commands", "Conversion", "Scenarios",
                "WebServer", "CZlib", .product(name: "Logging", package: "swift-log"),
            ], path: "fuzz", exclude: ["README.md", "seeds", "Driver", "corpora"], sources: ["Targets", "Tests"]),
        // Runs the IIO source under a preloaded library that shows it an emulated /sys; counts allocations.
        .target(name: "CAllocationCount", path: "Tests/IntegrationTests/Support/AllocationCount"),
        .executableTarget(
            name: "IIOProbe",
            dependencies: ["PoseMath", "Measurements", "Platform", "SensorInterface", "Sensors", "CAllocationCount"],
            path: "Tests/IntegrationTests/Support/IIOProbe"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "PoseMath", "Measurements", "Files", "Frames", "PosedClient", "Platform", "SensorInterface", "Sensors",
                "CSystem", "SchemaCheck", "RoadMaps", "SeededNumbers",
            ],
            exclude: [
                "Guest", "Support", "Doctor/old_posed.c", "Batch/slurm-check", "Fleet/slow_line.py", "Clients/probe.c",
                "Clients/mutations.c", "Clients/probe.py", "Clients/golden.c", "Clients/golden.py",
                "Clients/descriptors.py", "Clients/reconnection.c", "Clients/reconnection.py", "Clients/memory.py",
                "Outputs/gpsd_probe.c",
                "Web/browser.py", "Web/page_check.py", "Web/viewers.py",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `make fuzz` builds the fuzzer of the readers in place of the tests that read its stored inputs.
if let runtime = Context.environment["POSED_FUZZ_RUNTIME"],
    let index = package.targets.firstIndex(where: { $0.name == "FuzzTests" })
{
    let tests = package.targets.remove(at: index)
    let fuzzer = Target.executableTarget(
        name: "posed-fuzz", dependencies: tests.dependencies, path: "fuzz",
        exclude: ["README.md", "seeds", "Tests", "corpora"], sources: ["Targets", "Driver"],
        linkerSettings: [.unsafeFlags([runtime]), .linkedLibrary("stdc++")])
    package.targets.append(fuzzer)
}
