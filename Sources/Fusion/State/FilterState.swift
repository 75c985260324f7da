import PoseMath

/// Where one state of the filter lies in the error vector: all its elements, or one of them (`.attitude.z`).
///
/// The states are declared in `StateTable.swift`. This is two numbers and nothing else, so that
/// `covariance[.attitude.z, .mount.z]` costs what two constant indices cost.
struct FilterState: Sendable, Equatable {
    /// Index of its first element in the error vector.
    let index: Int
    /// Number of elements.
    let length: Int

    /// Elements of the error vector.
    @inline(__always)
    private init(index: Int, length: Int) { (self.index, self.length) = (index, length) }

    /// The state that follows another one in the error vector; `nil`: the first.
    @inline(__always)
    init(after previous: FilterState?, length: Int) { self.init(index: previous?.end ?? 0, length: length) }

    /// Index of the element after its last one.
    @inline(__always) var end: Int { index + length }
    /// Its elements.
    @inline(__always) var elements: Range<Int> { index..<end }

    /// One element of a vector.
    @inline(__always) subscript(axis: Int) -> FilterState { FilterState(index: index + axis, length: 1) }
    /// First element of a vector: east, or forward.
    @inline(__always) var x: FilterState { self[0] }
    /// Second element of a vector: north, or left.
    @inline(__always) var y: FilterState { self[1] }
    /// Third element of a vector: up.
    @inline(__always) var z: FilterState { self[2] }
    /// East and north of a vector.
    @inline(__always) var horizontal: FilterState { FilterState(index: index, length: 2) }
}

extension Matrix {
    /// The element of two scalar states, such as `[.attitude.z, .mount.z]`. Reading is `mutating` though it changes
    /// nothing: a value that is read in place is not copied, and a copy of the covariance for every element costs more
    /// than the filter.
    @inline(__always) subscript(row: FilterState, column: FilterState) -> Double {
        mutating get { storage[row.index][column.index] }
        set { storage[row.index][column.index] = newValue }
    }
}

/// One number for each element of the error state.
struct ErrorVector: Sendable {
    private var storage = StateArray(repeating: 0)

    /// One element by its index.
    subscript(index: Int) -> Double {
        get { storage[index] }
        set { storage[index] = newValue }
    }

    /// A scalar state.
    subscript(state: FilterState) -> Double {
        @inline(__always) get { storage[state.index] }
        @inline(__always) set { storage[state.index] = newValue }
    }

    /// A state with three elements.
    subscript(vector state: FilterState) -> Vector3 {
        @inline(__always) get { Vector3(storage[state.index], storage[state.index + 1], storage[state.index + 2]) }
        @inline(__always) set { for k in 0..<3 { storage[state.index + k] = newValue[k] } }
    }
}
