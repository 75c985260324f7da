// swift-tools-version: 6.2
import PackageDescription

/// The pure core is compiled with optimisation in debug builds too: unoptimised fixed-size matrices are about 480 times
/// slower, and the tests replay whole drives through them.
let numeric: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
    name: "posed",
    products: [
        .executable(name: "posed", targets: ["posed"]),
        .executable(name: "posectl", targets: ["posectl"]),
        .executable(name: "posed-routing", targets: ["posed-routing"]),
        .library(name: "PosedFrames", targets: ["Frames"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CIIO", pkgConfig: "libiio", providers: [.apt(["libiio-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CSystem"),
        .target(name: "CPosed"),

        .target(name: "Files", exclude: ["README.md"]),
        .target(name: "PoseMath", exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "Geodesy", dependencies: ["PoseMath"], exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "Fusion", dependencies: ["PoseMath", "Geodesy"], exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "BoundedJSON", exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "Guidance", dependencies: ["PoseMath", "Geodesy"], exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "Roads", dependencies: ["PoseMath", "Geodesy", "Guidance"], exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "Scene", dependencies: ["PoseMath", "Geodesy", "Guidance"], exclude: ["README.md"], swiftSettings: numeric),
        .target(name: "SeededNumbers", swiftSettings: numeric),
        .target(name: "Simulation", dependencies: ["PoseMath", "Geodesy", "Fusion", "Guidance", "SeededNumbers"], exclude: ["README.md"], swiftSettings: numeric),

        .target(name: "Frames", dependencies: ["CPosed", "CSystem"], exclude: ["README.md"]),
        .target(
            name: "Engine", dependencies: ["PoseMath", "Geodesy", "Fusion", "Guidance", "Frames"], exclude: ["README.md"], swiftSettings: numeric),
        .target(
            name: "RoadData", dependencies: ["PoseMath", "Geodesy", "Guidance", "BoundedJSON", "Roads", "Files", "CZlib"], exclude: ["README.md"]),
        .target(name: "Recording", dependencies: ["PoseMath", "Geodesy", "Fusion"], exclude: ["README.md"]),
        // Optimised in debug builds too: unoptimised loops allocate, and the tests hold the path of the samples to
        // none.
        .target(
            name: "Sensors", dependencies: ["PoseMath", "Geodesy", "Fusion", "CGPS", "CIIO", "CSystem"], exclude: ["README.md"],
            swiftSettings: numeric),
        .target(
            name: "Service",
            dependencies: [
                "PoseMath", "Geodesy", "Fusion", "Guidance", "Frames", "Engine", "RoadData", "Roads", "Scene", "BoundedJSON", "Recording", "Sensors",
                "Simulation", "Files", "CSystem", "RoutingProtocol",
                .product(name: "Logging", package: "swift-log"),
            ], exclude: ["README.md"]),
        .executableTarget(
            name: "posed",
            dependencies: ["Service", "Files", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        // The requests to routing servers, in a program of their own: libcurl costs 7 MiB while it is used.
        .target(name: "RoutingProtocol", exclude: ["README.md"]),
        .target(name: "HTTPTransfer", dependencies: ["RoutingProtocol", "CCurl"], exclude: ["README.md"]),
        .executableTarget(name: "posed-routing", dependencies: ["HTTPTransfer", "RoutingProtocol", "CSystem"]),
        .executableTarget(
            name: "posectl",
            dependencies: ["Service", "RoadData", "Roads", "Files", .product(name: "ArgumentParser", package: "swift-argument-parser")]),

        // The client libraries' example; those in C and Python lie beside it.
        .executableTarget(name: "posed-hud-example", dependencies: ["Frames"], path: "clients/swift"),

        .target(name: "CBench", path: "bench/CBench"),
        .executableTarget(
            name: "posed-bench",
            dependencies: [
                "CBench", "CPosed", "Frames", "Engine", "Fusion", "Geodesy", "Guidance", "PoseMath", "RoadData", "Roads", "Scene", "Simulation",
            ], path: "bench/posed-bench"),

        // Reads docs/math.md and the sources as text.
        .testTarget(name: "DocumentationTests"),
        .testTarget(name: "FilesTests", dependencies: ["Files"]),
        .testTarget(name: "PoseMathTests", dependencies: ["PoseMath", "SeededNumbers"]),
        .testTarget(name: "GeodesyTests", dependencies: ["Geodesy", "SeededNumbers"]),
        .testTarget(name: "FusionTests", dependencies: ["Fusion", "Simulation", "Recording"], exclude: ["Resources"]),
        .testTarget(name: "BoundedJSONTests", dependencies: ["BoundedJSON", "SeededNumbers"]),
        .testTarget(
            name: "GuidanceTests", dependencies: ["Guidance", "Geodesy", "PoseMath", "RoadData", "Simulation", "RoadDrives", "SeededNumbers"]),
        // Drives on real roads by the thousand: optimised in debug builds too.
        .target(
            name: "RoadDrives", dependencies: ["Guidance", "Geodesy", "PoseMath", "Simulation", "Fusion"], path: "Tests/Support/RoadDrives",
            exclude: ["road_routes.py"], swiftSettings: numeric),
        .testTarget(name: "RoadsTests", dependencies: ["Roads", "Guidance", "Geodesy", "PoseMath"]),
        .testTarget(name: "SceneTests", dependencies: ["Scene", "Guidance", "Geodesy", "PoseMath"]),
        .testTarget(name: "SimulationTests", dependencies: ["Simulation"]),
        // The lines of every test are checked against docs/frames.schema.json.
        .target(name: "SchemaCheck", path: "Tests/Support/SchemaCheck"),
        .testTarget(name: "FramesTests", dependencies: ["Frames", "CPosed", "SchemaCheck", "SeededNumbers"], exclude: ["Golden"]),
        .testTarget(name: "EngineTests", dependencies: ["Engine", "Simulation"]),
        // Whole replays against kept results. Optimised in debug builds too: each frame passes through digests.
        .testTarget(
            name: "SnapshotTests",
            dependencies: [
                "Engine", "Frames", "Fusion", "Geodesy", "Guidance", "PoseMath", "Recording", "RoadData", "Simulation",
            ], exclude: ["README.md", "Snapshots"], swiftSettings: numeric),
        .testTarget(name: "RoadDataTests", dependencies: ["RoadData", "Roads", "Guidance", "Geodesy", "PoseMath", "BoundedJSON", "SeededNumbers"]),
        .testTarget(name: "RecordingTests", dependencies: ["Recording", "SeededNumbers"]),
        .testTarget(name: "SensorsTests", dependencies: ["Sensors", "SeededNumbers"]),
        .testTarget(name: "ServiceTests", dependencies: ["Service", "RoutingProtocol", "SeededNumbers", "posed-routing"]),
        .testTarget(name: "RoutingProtocolTests", dependencies: ["RoutingProtocol", "SeededNumbers"]),
        // Runs the IIO source under a preloaded library that shows it an emulated /sys; counts allocations.
        .target(name: "CAllocationCount", path: "Tests/IntegrationTests/Support/AllocationCount"),
        .executableTarget(
            name: "IIOProbe", dependencies: ["Sensors", "Fusion", "PoseMath", "CSystem", "CAllocationCount"],
            path: "Tests/IntegrationTests/Support/IIOProbe"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["Frames", "Sensors", "Recording", "Fusion", "Geodesy", "PoseMath", "SchemaCheck"],
            exclude: ["Guest", "Support", "Clients/probe.c", "Clients/mutations.c", "Clients/probe.py", "Outputs/gpsd_probe.c"]),
    ],
    swiftLanguageModes: [.v6]
)
