import Conversion
import Frames
import Fusion
import Geodesy
import Measurements
import PoseMath

/// The series of a drive for the pictures of the page.
extension DriveFigures {
    /// Writes one object. `origin` is the place of (0, 0) on the map, the same for all drives of a page.
    func writeSeries(to writer: inout JSONWriter, origin: LocalFrame) {
        writer.number("{\"interval\":", drive.track.intervalSeconds, decimals: 3)
        writeTrack(&writer, origin)
        writeFixes(&writer, origin)
        writeInnovationSeries(&writer)
        writeGaps(&writer)
        writer.literal(",\"events\":")
        writer.list(drive.events) { writer, event in
            writer.number("{\"t\":", at(event.time), decimals: 1)
            writer.string(",\"text\":", event.text)
            writer.integer(",\"weight\":", event.weight.rawValue)
            writer.literal("}")
        }
        writeLines(&writer, origin)
        writer.literal("}")
    }

    private func writeTrack(_ writer: inout JSONWriter, _ frame: LocalFrame) {
        let samples = drive.track.samples
        let places = samples.map { Self.place($0.latitudeRadians, $0.longitudeRadians, frame) }
        writer.column(",\"t\":", step: 0.01, samples.map { at($0.time) })
        writer.column(",\"e\":", step: 0.05, places.map { $0?.x })
        writer.column(",\"n\":", step: 0.05, places.map { $0?.y })
        writer.column(",\"h\":", step: 0.05, samples.map(\.altitudeMeters))
        writer.column(",\"v\":", step: 0.01, samples.map(\.speedMetersPerSecond))
        writer.column(",\"limit\":", step: 0.01, samples.map(\.limitMetersPerSecond))
        writer.column(",\"colour\":", step: 1, samples.map { Double($0.colour.rawValue) })
        writer.column(",\"state\":", step: 1, samples.map { Double($0.state.rawValue) })
        writer.column(",\"heading\":", step: 0.1, samples.map { $0.headingRadians?.radiansInDegrees })
        writer.column(",\"roll\":", step: 0.05, samples.map { $0.rollRadians?.radiansInDegrees })
        writer.column(",\"pitch\":", step: 0.05, samples.map { $0.pitchRadians?.radiansInDegrees })
        writer.column(",\"sigma\":", step: 0.001, samples.map(\.horizontalSigmaMeters))
        writer.column(",\"heading_sigma\":", step: 0.005, samples.map { $0.headingSigmaRadians?.radiansInDegrees })
        writer.column(",\"height_sigma\":", step: 0.01, samples.map(\.verticalSigmaMeters))
        writer.column(",\"fix_age\":", step: 0.1, samples.map(\.fixAgeSeconds))
        guard let errors else { return }
        let differences = errors.differences
        let truth = differences.map {
            $0.map { frame.enuMeters(ofECEFMeters: $0.reference.ecefMeters) }
        }
        writer.column(",\"error\":", step: 0.001, differences.map { $0?.horizontalMeters })
        writer.column(",\"height_error\":", step: 0.01, differences.map { $0?.heightMeters })
        writer.column(",\"heading_error\":", step: 0.01, differences.map { $0?.headingRadians?.radiansInDegrees })
        writer.column(",\"re\":", step: 0.05, truth.map { $0?.x })
        writer.column(",\"rn\":", step: 0.05, truth.map { $0?.y })
    }

    private func writeFixes(_ writer: inout JSONWriter, _ frame: LocalFrame) {
        let fixes = drive.fixes.samples
        let places = fixes.map { Self.place($0.latitudeRadians, $0.longitudeRadians, frame) }
        writer.literal(",\"fixes\":{\"n\":0")
        writer.column(",\"t\":", step: 0.01, fixes.map { at($0.time) })
        writer.column(",\"e\":", step: 0.05, places.map { $0?.x })
        writer.column(",\"north\":", step: 0.05, places.map { $0?.y })
        writer.column(",\"latency\":", step: 1, fixes.map { $0.latencySeconds * 1000 })
        writer.literal("}")
    }

    private func writeInnovationSeries(_ writer: inout JSONWriter) {
        writer.literal(",\"innovations\":")
        writer.list(AidSource.allCases.filter { drive.innovations.sources[$0] != nil }) { writer, source in
            let record = drive.innovations.sources[source] ?? .init()
            let entries = record.entries
            writer.string("{\"source\":", "\(source)")
            writer.column(",\"t\":", step: 0.05, entries.map { at($0.time) })
            writer.column(",\"x\":", step: 0.02, entries.map { min(max($0.normalised, -100), 100) })
            writer.column(",\"refused\":", step: 1, entries.map { $0.rejection == .none ? 0 : 1 })
            writer.literal(",\"counts\":")
            writer.list(record.counts) { $0.integer("", $1) }
            writer.literal("}")
        }
    }

    private func writeGaps(_ writer: inout JSONWriter) {
        writer.literal(",\"gaps\":")
        writer.list(SensorKind.allCases.filter { drive.summary.sensors[$0] != nil }) { writer, kind in
            let sensor = drive.summary.sensors[kind] ?? .init()
            writer.string("{\"name\":", kind.title)
            let origin = begin.seconds
            writer.numbers(",\"span\":", [sensor.begin - origin, sensor.end - origin], decimals: 1)
            writer.numbers(
                ",\"gaps\":", sensor.gapSpans.flatMap { [$0.lowerBound - origin, $0.upperBound - origin] }, decimals: 2)
            writer.literal("}")
        }
    }

    /// Roads and route, as lines on the map.
    private func writeLines(_ writer: inout JSONWriter, _ frame: LocalFrame) {
        writer.literal(",\"roads\":")
        writer.list(roads?.lines ?? []) { writer, line in
            let points = line.points.map { frame.enuMeters(ofECEFMeters: $0.ecefMeters) }
            writer.integer("{\"class\":", line.roadClass)
            writer.boolean(",\"tunnel\":", line.isTunnel)
            writer.column(",\"e\":", step: 0.5, points.map(\.x))
            writer.column(",\"n\":", step: 0.5, points.map(\.y))
            writer.literal("}")
        }
        let points = (drive.route?.plan.points ?? []).map { frame.enuMeters(ofECEFMeters: $0.ecefMeters) }
        writer.literal(",\"route\":{\"length\":0")
        writer.column(",\"e\":", step: 0.5, points.map(\.x))
        writer.column(",\"n\":", step: 0.5, points.map(\.y))
        writer.literal("}")
    }

    /// A place on the map, metres; `nil` where it is unknown.
    private static func place(_ latitude: Double?, _ longitude: Double?, _ frame: LocalFrame) -> Vector3? {
        guard let latitude, let longitude else { return nil }
        return frame.enuMeters(
            of: GeodeticPosition(
                latitudeRadians: latitude, longitudeRadians: longitude,
                altitudeEllipsoidMeters: frame.origin.altitudeEllipsoidMeters))
    }
}

extension JSONWriter {
    /// Writes a column in the form that the page unpacks: the step, and the differences between neighbours in steps;
    /// unknown values are `null`.
    fileprivate mutating func column(_ key: StaticString, step: Double, _ values: [Double?]) {
        literal(key)
        number("{\"step\":", step, decimals: 3)
        literal(",\"d\":")
        var last: Int64 = 0
        list(values) { writer, value in
            guard let value, value.isFinite, abs(value) < 1e12 else { return writer.number(nil, decimals: 0) }
            let steps = Int64((value / step).rounded())
            writer.integer(steps - last)
            last = steps
        }
        literal("}")
    }
}
