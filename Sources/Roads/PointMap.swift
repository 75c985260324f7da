import Geodesy
import PoseMath

/// Sections of a point file.
public enum PointSection: UInt32, Sendable {
    /// The points in spatial order: ``PointMap/PointRecord``.
    case points = 1
    /// Bounding boxes of 16 points, of 16 of those boxes, and so on up to one: ``QuantizedBox``.
    case boxes = 2
    /// For each box the categories of any and of all its points: ``PointMap/CategoryMasks``.
    case masks = 3
    /// Texts of each point, see ``PointDetailsCoder``.
    case details = 4
    /// Names of categories: one byte of length, then UTF-8.
    case categories = 5
}

/// Points of interest, searched by distance and category, in a mapped file or in memory. Reading never traps, whatever
/// the bytes are.
public struct PointMap: Sendable {
    /// A point of interest.
    public struct PointRecord: BitwiseCopyable, Sendable {
        /// Position on the ellipsoid.
        public var place = QuantizedPoint()
        /// Height above mean sea level, decimetres; `Int32.min`: unknown.
        public var heightDecimeters = Int32.min
        /// Its categories: category n sets bit n modulo 64.
        public var categories: UInt64 = 0
        /// Offset of its details, bytes.
        public var details: UInt32 = 0
        /// Reserved, 0.
        public var reserved: UInt32 = 0

        /// Creates an empty record.
        public init() {}

        /// Offset of the categories in the record, bytes.
        static let categoriesOffset = MemoryLayout<PointRecord>.offset(of: \.categories) ?? 0
    }

    /// Categories of the points in a box.
    public struct CategoryMasks: BitwiseCopyable, Sendable {
        /// Categories that at least one point has.
        public var any: UInt64 = 0
        /// Categories that all points have.
        public var all: UInt64 = .max

        /// Masks of an empty set of points.
        public init() {}

        /// Masks of one point.
        public init(_ categories: UInt64) { (any, all) = (categories, categories) }

        /// Combines with the masks of other points.
        public mutating func include(_ other: CategoryMasks) {
            any |= other.any
            all &= other.all
        }
    }

    /// Number of points per box, and of child boxes per box.
    public static let fanOut = 16
    /// With more categories than this, several share a bit.
    static let exactCategories = 64
    /// Boxes up to this level (256 points) are counted point by point, which is faster than descending into their
    /// children.
    private static let countedLevel = 1

    /// The names of the categories.
    public let categories: [String]
    /// The same without distinction of upper and lower case.
    private let foldedCategories: [String]
    private let region: any ByteRegion
    private let points: Records<PointRecord>
    private let boxes: Records<QuantizedBox>
    private let masks: Records<CategoryMasks>
    private let details: Records<UInt8>
    private let levels: [BoxLevel]

    /// Opens the point file in a byte region; throws if its layout is invalid.
    public init(_ region: any ByteRegion) throws(DataFile.Fault) {
        let sections = try DataSections(region, content: .points)
        self.region = region
        points = try sections.records(PointSection.points)
        boxes = try sections.records(PointSection.boxes)
        masks = try sections.records(PointSection.masks)
        details = try sections.records(PointSection.details)
        categories = Self.names(try sections.records(PointSection.categories))
        foldedCategories = categories.map { $0.lowercased() }
        levels = try boxLevels(
            leafCount: points.count, fanOut: Self.fanOut, boxCount: boxes.count, of: PointSection.boxes)
        guard masks.count == boxes.count else { throw .badSection(PointSection.masks.rawValue) }
    }

    private static func names(_ bytes: Records<UInt8>) -> [String] {
        var names: [String] = []
        var place = 0
        while let next = bytes.text(at: place) {
            names.append(next.text)
            place = next.end
        }
        return names
    }

    /// Number of points.
    public var count: Int { points.count }

    /// Whether the bytes of the file were lost while it is in use. No point is found then.
    public var isDamaged: Bool { region.isDamaged }

    /// A point by its number; `nil` if it does not exist.
    public func point(_ number: Int) -> PointRecord? { points[number] }

    /// The position of a point.
    public func position(_ record: PointRecord) -> GeodeticPosition {
        var place = GeodeticPosition(ecefMeters: record.place.meters)
        place.altitudeEllipsoidMeters = 0
        return place
    }

    /// The details of a point.
    public func details(_ record: PointRecord) -> PointDetailsCoder.Fields {
        PointDetailsCoder.read(at: Int(record.details)) { details[$0] }
    }
}

/// A query for points of interest.
public struct PointQuery: Sendable, Equatable {
    /// Search radius, metres.
    public var radiusMeters = 1500.0
    /// Maximum number of results; the nearest are returned.
    public var count = 100
    /// Only points with at least one of these categories, as in the source or as stored; empty: all points.
    public var categories: Set<String> = []

    /// Creates the default query.
    public init() {}
}

/// The results of a query. The object is reused, so that its arrays keep their capacity.
public struct PointHits: Sendable {
    /// One result.
    public struct Hit: Sendable, Equatable {
        /// Number of the point.
        public var number: Int
        /// Distance, metres.
        public var distanceMeters: Double
    }

    /// The nearest points in ascending distance; equal distances in the order of their ids.
    public private(set) var nearest: [Hit] = []
    /// Number of matching points within the radius.
    public private(set) var total = 0

    /// Creates empty results.
    public init() { nearest.reserveCapacity(1024) }

    /// Runs a query on a map.
    public mutating func search(_ map: PointMap, near position: GeodeticPosition, _ query: PointQuery) {
        nearest.removeAll(keepingCapacity: true)
        total = 0
        guard position.isValid, query.radiusMeters > 0, let filter = map.filter(query.categories) else { return }
        var ground = position
        ground.altitudeEllipsoidMeters = 0
        let place = ground.ecefMeters
        total = map.count(near: place, within: query.radiusMeters, filter)
        guard total > 0, query.count > 0 else { return }
        // Estimated radius of the requested count for evenly distributed points; it is increased if it was too small.
        var reach = query.radiusMeters
        if total > 3 * query.count { reach *= (2 * Double(query.count) / Double(total)).squareRoot() }
        while true {
            nearest.removeAll(keepingCapacity: true)
            map.visit(near: place, within: reach, filter) { nearest.append(Hit(number: $0, distanceMeters: $1)) }
            if nearest.count >= min(query.count, total) || reach >= query.radiusMeters { break }
            reach = min(reach * 1.6, query.radiusMeters)
        }
        nearest.sort {
            $0.distanceMeters < $1.distanceMeters
                || $0.distanceMeters == $1.distanceMeters && map.isBefore($0.number, $1.number)
        }
        if nearest.count > query.count { nearest.removeLast(nearest.count - query.count) }
    }
}

extension Records<PointMap.PointRecord> {
    /// Number of points in a range that have at least one of the categories of a mask.
    func count(in range: Range<Int>, withAnyOf mask: UInt64) -> Int {
        var total = 0
        forEachWord(at: PointMap.PointRecord.categoriesOffset, in: range) { total += $0 & mask == 0 ? 0 : 1 }
        return total
    }
}

extension PointMap {
    /// A filter by category.
    struct Filter {
        /// Bits of the categories; 0: all points match.
        var mask: UInt64 = 0
        /// Numbers of the categories where bits are ambiguous.
        var exact: Set<UInt16> = []
    }

    /// The name under which a category is stored: in lower case, with underscores for spaces; `caffe` becomes `cafe`.
    public static func categoryName(_ name: String) -> String {
        let text = name.split(separator: " ", omittingEmptySubsequences: true).joined(separator: "_").lowercased()
        return text == "caffe" ? "cafe" : text
    }

    /// The filter for category names; `nil` if none of the names exists, so that no point matches.
    func filter(_ names: Set<String>) -> Filter? {
        guard !names.isEmpty else { return Filter() }
        var filter = Filter()
        // A file of another program may have names in another form.
        let wanted = Set(names.map { $0.lowercased() } + names.map { Self.categoryName($0) })
        for (index, name) in foldedCategories.enumerated() where wanted.contains(name) {
            filter.mask |= 1 << UInt64(index % Self.exactCategories)
            if categories.count > Self.exactCategories { filter.exact.insert(UInt16(truncatingIfNeeded: index)) }
        }
        return filter.mask == 0 ? nil : filter
    }

    /// Whether point `a` precedes point `b` at equal distance.
    func isBefore(_ a: Int, _ b: Int) -> Bool {
        guard let first = point(a), let second = point(b) else { return a < b }
        let (left, right) = (details(first).id, details(second).id)
        return left == right ? a < b : left < right
    }

    private func matches(_ record: PointRecord, _ filter: Filter) -> Bool {
        guard filter.mask != 0 else { return true }
        guard record.categories & filter.mask != 0 else { return false }
        return filter.exact.isEmpty || details(record).categories.contains { filter.exact.contains($0) }
    }

    /// A search sphere in the units of the points, so that no point needs a conversion.
    struct Reach {
        private let (x, y, z): (Double, Double, Double)
        private let limit: Double

        init(_ place: Vector3, meters: Double) {
            let scale = QuantizedPoint.unitsPerMeter
            (x, y, z) = (place.x * scale, place.y * scale, place.z * scale)
            limit = meters * meters * scale * scale
        }

        /// The distance of a point, metres; `nil` if it is outside the sphere.
        @inline(__always) func meters(to p: QuantizedPoint) -> Double? {
            let squared = squared(p)
            return squared <= limit ? squared.squareRoot() / QuantizedPoint.unitsPerMeter : nil
        }

        @inline(__always) func contains(_ p: QuantizedPoint) -> Bool { squared(p) <= limit }

        @inline(__always) private func squared(_ p: QuantizedPoint) -> Double {
            let (dx, dy, dz) = (Double(p.x) - x, Double(p.y) - y, Double(p.z) - z)
            return dx * dx + dy * dy + dz * dz
        }

        /// Whether a box intersects the sphere.
        @inline(__always) func intersects(_ b: QuantizedBox) -> Bool {
            let dx = max(Double(b.lowX) - x, 0, x - Double(b.highX))
            let dy = max(Double(b.lowY) - y, 0, y - Double(b.highY))
            let dz = max(Double(b.lowZ) - z, 0, z - Double(b.highZ))
            return dx * dx + dy * dy + dz * dz <= limit
        }

        /// Whether a box is entirely inside the sphere.
        @inline(__always) func contains(_ b: QuantizedBox) -> Bool {
            let dx = max(abs(Double(b.lowX) - x), abs(x - Double(b.highX)))
            let dy = max(abs(Double(b.lowY) - y), abs(y - Double(b.highY)))
            let dz = max(abs(Double(b.lowZ) - z), abs(z - Double(b.highZ)))
            return dx * dx + dy * dy + dz * dz <= limit
        }
    }

    /// Number of matching points within a distance. A box entirely inside is not descended into if all its points
    /// match; if some match, only their categories are checked.
    func count(near place: Vector3, within reach: Double, _ filter: Filter) -> Int {
        let reach = Reach(place, meters: reach)
        guard levels.count > 0 else {
            return points[0].map { matches($0, filter) && reach.contains($0.place) ? 1 : 0 } ?? 0
        }
        var total = 0
        count(levels.count - 1, 0, reach, filter, isInside: false, &total)
        return total
    }

    private func count(_ level: Int, _ index: Int, _ reach: Reach, _ filter: Filter, isInside: Bool, _ total: inout Int)
    {
        let node = levels[level].first + index
        guard filter.mask == 0 || (masks[node]?.any ?? 0) & filter.mask != 0 else { return }
        var isInside = isInside
        if !isInside {
            guard let box = boxes[node], reach.intersects(box) else { return }
            isInside = reach.contains(box)
        }
        let leaves = index * levels[level].leaves..<min((index + 1) * levels[level].leaves, points.count)
        if isInside {
            if filter.mask == 0 || filter.exact.isEmpty && (masks[node]?.all ?? 0) & filter.mask != 0 {
                total += leaves.count
                return
            }
            if filter.exact.isEmpty, level <= Self.countedLevel {
                total += points.count(in: leaves, withAnyOf: filter.mask)
                return
            }
        }
        guard level == 0 else {
            for child in (index * Self.fanOut)..<min((index + 1) * Self.fanOut, levels[level - 1].count) {
                count(level - 1, child, reach, filter, isInside: isInside, &total)
            }
            return
        }
        for child in leaves {
            guard let record = points[child], matchesFast(record, filter), isInside || reach.contains(record.place)
            else {
                continue
            }
            total += 1
        }
    }

    /// Same result as ``matches(_:_:)``, with the most frequent cases inlined.
    @inline(__always) private func matchesFast(_ record: PointRecord, _ filter: Filter) -> Bool {
        filter.mask == 0 || record.categories & filter.mask != 0 && (filter.exact.isEmpty || matches(record, filter))
    }

    /// Calls `body` with the number and distance of each matching point within a distance.
    @inline(__always) func visit(
        near place: Vector3, within reach: Double, _ filter: Filter, _ body: (Int, Double) -> Void
    ) {
        let reach = Reach(place, meters: reach)
        guard levels.count > 0 else {
            if let record = points[0], let meters = reach.meters(to: record.place), matches(record, filter) {
                body(0, meters)
            }
            return
        }
        visit(levels.count - 1, 0, reach, filter, body)
    }

    private func visit(_ level: Int, _ index: Int, _ reach: Reach, _ filter: Filter, _ body: (Int, Double) -> Void) {
        let node = levels[level].first + index
        guard filter.mask == 0 || (masks[node]?.any ?? 0) & filter.mask != 0, let box = boxes[node],
            reach.intersects(box)
        else { return }
        let children =
            (index * Self.fanOut)..<min((index + 1) * Self.fanOut, level == 0 ? points.count : levels[level - 1].count)
        guard level == 0 else {
            for child in children { visit(level - 1, child, reach, filter, body) }
            return
        }
        for child in children {
            guard let record = points[child], matchesFast(record, filter), let meters = reach.meters(to: record.place)
            else { continue }
            body(child, meters)
        }
    }
}
