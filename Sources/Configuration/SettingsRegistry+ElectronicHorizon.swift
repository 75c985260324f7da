import PoseMath

extension SettingsRegistry {
    /// Keys of the routing server.
    package static let routing = SettingsSection(
        name: "routing",
        summary:
            "The routing server that is asked for routes to a destination, and for another when the route was left.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "routing.server",
                    "Its address, such as http://127.0.0.1:8002 or https://router.example. null: none; a route that "
                        + "was left stays.", .live),
                \.routing.address, .httpAddress),
            .choice(SettingsKeyLabel("routing.kind", "Which server it is.", .live), \.routing.kind),
            .number(
                SettingsKeyLabel("routing.timeout_s", "How long an answer may take.", .live), \.routing.timeoutSeconds,
                unit: "s",
                SettingsRange(0.5...30)),
            .boolean(
                SettingsKeyLabel("routing.reroute", "Whether it is asked by itself when the route was left.", .live),
                \.routing.reroutes),
            .optionalText(
                SettingsKeyLabel(
                    "routing.proxy", "The proxy for these requests, such as http://proxy.example:3128. null: none.",
                    .live),
                \.routing.proxy, .httpAddress),
            .optionalText(
                SettingsKeyLabel(
                    "routing.ca_file",
                    "A PEM file of the certificate authorities to trust in place of the system's. null: the system's.",
                    .live),
                \.routing.authorityFile, .absoluteFile),
            .optionalText(
                SettingsKeyLabel(
                    "routing.socket",
                    "The socket where systemd starts posed-routing, which sends the requests. Where nobody listens "
                        + "there, or null: posed starts that program itself.", .live),
                \.routing.socketPath, .absoluteFile),
            .optionalText(
                SettingsKeyLabel(
                    "routing.program",
                    "The program posed-routing. null: ../libexec/posed/posed-routing from posed's folder, or beside "
                        + "posed.", .live),
                \.routing.programPath, .absoluteFile),
        ])

    /// Keys of the road data.
    package static let roads = SettingsSection(
        name: "roads",
        summary: "The roads around: limits where the route has none, the next limit, the speed for the next curve.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "roads.file",
                    "A file made by `posectl roads import`. null: no roads; limits come from the route alone.", .live),
                \.surroundings.roadFile, .file),
            .number(
                SettingsKeyLabel(
                    "roads.look_ahead_s", "How far the road ahead is looked at, at the present speed; 500 m at least."),
                \.surroundings.guide.reachSeconds, unit: "s", SettingsRange(5...120)),
            .number(
                SettingsKeyLabel("roads.curve_lateral_m_s2", "Sideways acceleration in a curve that is comfortable."),
                \.surroundings.guide.curve.lateralMetersPerSecondSquared, unit: nil, SettingsRange(0.5...6)),
            .number(
                SettingsKeyLabel("roads.curve_braking_m_s2", "Braking before a curve that is comfortable."),
                \.surroundings.guide.curve.brakingMetersPerSecondSquared, unit: nil, SettingsRange(0.2...5)),
        ])

    /// Keys of the points of interest.
    package static let points = SettingsSection(
        name: "points", summary: "Points of interest around.",
        keys: [
            .optionalText(
                SettingsKeyLabel(
                    "points.file",
                    "A file made by `posectl points import`, or GeoJSON, GPX, CSV or a property list of at most 64 "
                        + "MB. null: none.",
                    .live),
                \.surroundings.pointFile, .file),
            .number(
                SettingsKeyLabel("points.radius_m", "Points within this distance are told.", .live),
                \.surroundings.pointRadiusMeters, unit: "m",
                SettingsRange(10...50_000)),
            .integer(
                SettingsKeyLabel("points.count", "So many points are told at most, the nearest.", .live),
                \.surroundings.pointCount, 1...100),
            .number(
                SettingsKeyLabel(
                    "points.target_near_m", "A target is near from this distance on, and far again a margin farther.",
                    .live),
                \.surroundings.targetNearMeters, unit: "m", SettingsRange(10...50)),
        ])

    /// Keys of the scene.
    package static let scene = SettingsSection(
        name: "scene",
        summary:
            "What is drawn into the view: markers along the route, arrows, heights; and the display it is drawn for.",
        keys: [
            .number(
                SettingsKeyLabel("scene.visible_m", "Markers and arrows farther than this are not in view."),
                \.surroundings.scene.visibleMeters,
                unit: "m",
                SettingsRange(10...1000)),
            .number(
                SettingsKeyLabel(
                    "scene.arrow_spacing_m", "Arrows along the next 100 m are this far apart; 0: none, 3 is usual."),
                \.surroundings.scene.arrowSpacingMeters, unit: "m", SettingsRange(0...100)),
            .optionalText(
                SettingsKeyLabel(
                    "scene.elevation_folder",
                    "The folder of SRTM tiles such as N42E001.hgt. null: heights from the route alone."),
                \.surroundings.elevationFolder, .file),
            .boolean(
                SettingsKeyLabel("scene.display", "Whether places on a screen are told, for the display below."),
                \.surroundings.hasDisplay),
            .number(
                SettingsKeyLabel("scene.horizontal_field_deg", "The display's horizontal field of view."),
                \.surroundings.display.horizontalFieldRadians,
                unit: "deg", factor: Angle.radiansPerDegree, SettingsRange(1...170)),
            .number(
                SettingsKeyLabel("scene.vertical_field_deg", "The display's vertical field of view."),
                \.surroundings.display.verticalFieldRadians,
                unit: "deg", factor: Angle.radiansPerDegree, SettingsRange(1...170)),
            .optionalRotation(
                SettingsKeyLabel(
                    "scene.display_to_body",
                    "How the display sits in the body: the rows of the rotation from its axes (line of sight, left, "
                        + "up). null: it looks forward."
                ),
                \.surroundings.displayToBody),
            .number(
                SettingsKeyLabel("scene.near_m", "Nearer than this nothing is in view."),
                \.surroundings.display.nearMeters, unit: "m",
                SettingsRange(0.01...100)),
            .number(
                SettingsKeyLabel("scene.far_m", "Farther than this nothing is in view."),
                \.surroundings.display.farMeters, unit: "m",
                SettingsRange(200...100_000)),
        ])
}
