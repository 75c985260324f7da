import PoseMath

extension SettingsRegistry {
    /// Keys of the routing server.
    package static let routing = SettingsSection(
        name: "routing",
        summary:
            "The routing server, for routes to a destination and for reroutes.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "routing.server",
                    "Address of the server, such as http://127.0.0.1:8002 or https://router.example. null: no "
                        + "server and no reroutes.", .live),
                \.routing.address, .httpAddress),
            .choice(
                SettingsKeyLabel(
                    "routing.kind",
                    "Type of the server.", .live), \.routing.kind),
            .number(
                SettingsKeyLabel(
                    "routing.timeout_s",
                    "Time limit for an answer.", .live), \.routing.timeoutSeconds,
                unit: "s",
                SettingsRange(0.5...30)),
            .boolean(
                SettingsKeyLabel(
                    "routing.reroute",
                    "Whether a reroute is requested automatically when the vehicle leaves the route.", .live),
                \.routing.reroutes),
            .optionalText(
                SettingsKeyLabel(
                    "routing.proxy", "The proxy for these requests, such as http://proxy.example:3128. null: none.",
                    .live),
                \.routing.proxy, .httpAddress),
            .optionalText(
                SettingsKeyLabel(
                    "routing.ca_file",
                    "A PEM file of the certificate authorities to trust instead of the system's. null: the "
                        + "system's.",
                    .live),
                \.routing.authorityFile, .absoluteFile),
            .optionalText(
                SettingsKeyLabel(
                    "routing.socket",
                    "The socket where systemd starts posed-routing, which sends the requests. null, or "
                        + "without a listener: posed starts posed-routing itself.", .live),
                \.routing.socketPath, .absoluteFile),
            .optionalText(
                SettingsKeyLabel(
                    "routing.program",
                    "Path of posed-routing. null: ../libexec/posed/posed-routing from posed's folder, or "
                        + "beside posed.", .live),
                \.routing.programPath, .absoluteFile),
        ])

    /// Keys of the road data.
    package static let roads = SettingsSection(
        name: "roads",
        summary:
            "Road data ahead: limits where the route has none, the next limit, the speed for the next "
            + "curve.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "roads.file",
                    "A file made by `posectl roads import`. null: no road data; limits come from the route "
                        + "alone.", .live),
                \.horizon.roadFile, .file),
            .number(
                SettingsKeyLabel(
                    "roads.look_ahead_s",
                    "Range of the road search as travel time at the current speed; at least 500 m."),
                \.horizon.guide.reachSeconds, unit: "s", SettingsRange(5...120)),
            .number(
                SettingsKeyLabel(
                    "roads.curve_lateral_m_s2",
                    "Comfortable lateral acceleration in a curve."),
                \.horizon.guide.curve.lateralMetersPerSecondSquared, unit: nil, SettingsRange(0.5...6)),
            .number(
                SettingsKeyLabel(
                    "roads.curve_braking_m_s2",
                    "Comfortable deceleration before a curve."),
                \.horizon.guide.curve.brakingMetersPerSecondSquared, unit: nil, SettingsRange(0.2...5)),
        ] + conditions)

    /// Keys of what conditional limits depend on.
    private static let conditions: [SettingsKey] = [
        .choice(
            SettingsKeyLabel(
                "roads.vehicle", "Kind of vehicle, for limits of some kinds. hgv: a goods vehicle over 3.5 t.", .live),
            \.horizon.vehicle.kind),
        .boolean(
            SettingsKeyLabel("roads.trailer", "Whether the vehicle tows a trailer.", .live),
            \.horizon.vehicle.hasTrailer),
        .number(
            SettingsKeyLabel(
                "roads.weight_t",
                "Maximum authorised mass of vehicle and trailer in tonnes, for limits by weight. 0: unknown; the "
                    + "class of `roads.vehicle` then tells whether it is more than 3.5 t, where it can.", .live),
            \.horizon.vehicle.weightTonnes, unit: nil, SettingsRange(0...1000)),
        .choice(
            SettingsKeyLabel("roads.surface", "State of the road, for limits on wet roads.", .live),
            \.horizon.vehicle.surface),
        .optionalText(
            SettingsKeyLabel(
                "roads.time_zone",
                "Local time minus UTC, such as \"+01:00\", for limits by hour and date. null: that of the system's "
                    + "zone at the receiver's time.", .live),
            \.horizon.timeZone, .utcOffset),
    ]

    /// Keys of the points of interest.
    package static let points = SettingsSection(
        name: "points",
        summary:
            "Points of interest.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "points.file",
                    "A file made by `posectl points import`, or GeoJSON, GPX, CSV or a property list of at most 64 "
                        + "MB. null: none.",
                    .live),
                \.horizon.pointFile, .file),
            .number(
                SettingsKeyLabel(
                    "points.radius_m",
                    "Points within this distance are sent.", .live),
                \.horizon.pointRadiusMeters, unit: "m",
                SettingsRange(10...50_000)),
            .integer(
                SettingsKeyLabel(
                    "points.count",
                    "Maximum number of points sent; the nearest are sent.", .live),
                \.horizon.pointCount, 1...100),
            .number(
                SettingsKeyLabel(
                    "points.target_near_m",
                    "Distance at which a target counts as near. It counts as far again at this distance plus "
                        + "a hysteresis.",
                    .live),
                \.horizon.targetNearMeters, unit: "m", SettingsRange(10...50)),
        ])

    /// Keys of the scene.
    package static let scene = SettingsSection(
        name: "scene",
        summary:
            "The scene: markers along the route, arrows and heights, and the display that shows them.",
        keys: [
            .number(
                SettingsKeyLabel(
                    "scene.visible_m",
                    "Maximum distance of visible markers and arrows."),
                \.horizon.scene.visibleMeters,
                unit: "m",
                SettingsRange(10...1000)),
            .number(
                SettingsKeyLabel(
                    "scene.arrow_spacing_m",
                    "Distance between arrows along the next 100 m. 0: no arrows; 3 is usual."),
                \.horizon.scene.arrowSpacingMeters, unit: "m", SettingsRange(0...100)),
            .optionalText(
                SettingsKeyLabel(
                    "scene.elevation_folder",
                    "The folder of SRTM tiles such as N42E001.hgt. null: heights from the route alone."),
                \.horizon.elevationFolder, .file),
            .boolean(
                SettingsKeyLabel(
                    "scene.display",
                    "Whether screen positions are sent for the display described below."),
                \.horizon.hasDisplay),
            .number(
                SettingsKeyLabel("scene.horizontal_field_deg", "The display's horizontal field of view."),
                \.horizon.display.horizontalFieldRadians,
                unit: "deg", factor: Angle.radiansPerDegree, SettingsRange(1...170)),
            .number(
                SettingsKeyLabel("scene.vertical_field_deg", "The display's vertical field of view."),
                \.horizon.display.verticalFieldRadians,
                unit: "deg", factor: Angle.radiansPerDegree, SettingsRange(1...170)),
            .optionalRotation(
                SettingsKeyLabel(
                    "scene.display_to_body",
                    "Mount of the display in the body: the rows of the rotation from its axes (line of sight, "
                        + "left, up) to body axes. null: it looks forward."
                ),
                \.horizon.displayToBody),
            .number(
                SettingsKeyLabel(
                    "scene.near_m",
                    "Minimum distance of visible points."),
                \.horizon.display.nearMeters, unit: "m",
                SettingsRange(0.01...100)),
            .number(
                SettingsKeyLabel(
                    "scene.far_m",
                    "Maximum distance of visible points."),
                \.horizon.display.farMeters, unit: "m",
                SettingsRange(200...100_000)),
        ])
}
