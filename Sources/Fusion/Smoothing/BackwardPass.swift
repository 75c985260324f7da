import PoseMath

/// The Rauch-Tung-Striebel smoother: the best estimate of each moment from all that was measured, before and after
/// (Rauch, Tung and Striebel 1965; Sarkka 2013, algorithm 8.2, on the error state: differences of states are taken and
/// applied as the filter does).
enum BackwardPass {
    /// A smoothed moment.
    struct Moment: Sendable {
        /// The estimate.
        var state: NavigationState
        /// Its covariance.
        var covariance: Covariance
    }

    /// Smooths the moments of the updates, the last one being as the filter left it.
    /// docs/math.md, eq. 10.2.
    static func smooth(_ epochs: ContiguousArray<SmoothingJournal.Epoch>) -> ContiguousArray<Moment> {
        guard let last = epochs.last else { return [] }
        var moments = ContiguousArray(
            repeating: Moment(state: last.updated, covariance: last.updatedCovariance), count: epochs.count)
        var work = Workspace()
        for k in (0..<epochs.count - 1).reversed() {
            moments[k].state = epochs[k].updated
            moments[k].covariance = epochs[k].updatedCovariance
            guard !epochs[k + 1].isJump else { continue }
            work.load(updated: epochs[k].updatedCovariance, next: epochs[k + 1], smoothed: moments[k + 1].covariance)
            work.findGain()
            moments[k].state.apply(work.carriedBack(moments[k + 1].state.error(from: epochs[k + 1].predicted)))
            moments[k].covariance = work.smoothedCovariance()
        }
        return moments
    }

    /// The matrices of one step back, on the heap: the fixed ones are copied whole where an element is read.
    private struct Workspace {
        private static let n = FilterState.count

        private var updated = Square()
        private var transition = Square()
        private var predicted = Square()
        private var change = Square()
        private var lower = Square()
        private var gain = Square()
        private var product = Square()
        private var scale = [Double](repeating: 0, count: n)
        private var column = [Double](repeating: 0, count: n)

        mutating func load(updated p: Covariance, next: SmoothingJournal.Epoch, smoothed: Covariance) {
            updated.fill(from: p)
            transition.fill(from: next.transition)
            predicted.fill(from: next.predictedCovariance)
            forget(next.forgotten)
            change.fill(from: smoothed)
            for i in 0..<Self.n * Self.n { change.elements[i] -= predicted.elements[i] }
        }

        /// Makes what the filter forgot at an update a part of the step to it. What began anew there has no past.
        /// docs/math.md, eq. 10.7.
        private mutating func forget(_ variances: StateArray) {
            for i in 0..<Self.n where variances[i] > 0 {
                guard variances[i] == .infinity else {
                    predicted[i, i] += variances[i]
                    continue
                }
                for j in 0..<Self.n {
                    transition[i, j] = 0
                    predicted[i, j] = 0
                    predicted[j, i] = 0
                }
            }
        }

        /// `G = P F^T (P-)^-1`: how far an error of the next moment reaches back.
        /// docs/math.md, eq. 10.3.
        mutating func findGain() {
            factorize()
            product.multiply(transition, updated)
            for j in 0..<Self.n {
                for i in 0..<Self.n { column[i] = product[i, j] * scale[i] }
                solve()
                for i in 0..<Self.n { gain[j, i] = column[i] * scale[i] }
            }
        }

        /// The Cholesky factor of the correlations in P-, whose elements lie twelve orders of magnitude apart; what is
        /// known exactly (the parameters that a profile does not have) takes no part.
        private mutating func factorize() {
            for i in 0..<Self.n { scale[i] = predicted[i, i] > 0 ? 1 / predicted[i, i].squareRoot() : 0 }
            for j in 0..<Self.n {
                var pivot = scale[j] > 0 ? 1 + Tuning.Smoothing.rounding : 0
                for k in 0..<j { pivot -= lower[j, k] * lower[j, k] }
                let root = pivot > 0.1 * Tuning.Smoothing.rounding ? pivot.squareRoot() : 0
                lower[j, j] = root
                for i in j + 1..<max(Self.n, j + 1) {
                    var sum = predicted[i, j] * scale[i] * scale[j]
                    for k in 0..<j { sum -= lower[i, k] * lower[j, k] }
                    lower[i, j] = root > 0 ? sum / root : 0
                }
            }
        }

        /// Solves for `column` in place.
        private mutating func solve() {
            for i in 0..<Self.n {
                var sum = column[i]
                for k in 0..<i { sum -= lower[i, k] * column[k] }
                column[i] = lower[i, i] > 0 ? sum / lower[i, i] : 0
            }
            for i in (0..<Self.n).reversed() where lower[i, i] > 0 {
                var sum = column[i]
                for k in i + 1..<max(Self.n, i + 1) { sum -= lower[k, i] * column[k] }
                column[i] = sum / lower[i, i]
            }
        }

        /// An error of the next moment as it shows in this one.
        func carriedBack(_ error: ErrorVector) -> ErrorVector {
            var result = ErrorVector()
            for i in 0..<Self.n {
                var sum = 0.0
                for j in 0..<Self.n { sum += gain[i, j] * error[j] }
                result[i] = sum
            }
            return result
        }

        /// `P + G (Ps - P-) G^T`.
        /// docs/math.md, eq. 10.4.
        mutating func smoothedCovariance() -> Covariance {
            product.multiply(gain, change)
            lower.multiplyTransposed(product, gain)
            var result = Covariance()
            for i in 0..<Self.n {
                for j in 0..<i {
                    let value = 0.5 * (updated[i, j] + updated[j, i] + lower[i, j] + lower[j, i])
                    result[i, j] = value
                    result[j, i] = value
                }
                result[i, i] = max(updated[i, i] + lower[i, i], 0)
            }
            return result
        }
    }

    /// A square matrix on the heap.
    private struct Square {
        private static let n = FilterState.count
        var elements = [Double](repeating: 0, count: n * n)

        subscript(i: Int, j: Int) -> Double {
            get { elements[i * Self.n + j] }
            set { elements[i * Self.n + j] = newValue }
        }

        mutating func fill(from matrix: Covariance) {
            var matrix = matrix
            matrix.write(to: &elements)
        }

        /// Becomes `a b`.
        mutating func multiply(_ a: Square, _ b: Square) {
            for i in 0..<Self.n {
                for j in 0..<Self.n { self[i, j] = 0 }
                for k in 0..<Self.n {
                    let f = a[i, k]
                    for j in 0..<Self.n { self[i, j] += f * b[k, j] }
                }
            }
        }

        /// Becomes `a b^T`.
        mutating func multiplyTransposed(_ a: Square, _ b: Square) {
            for i in 0..<Self.n {
                for j in 0..<Self.n {
                    var sum = 0.0
                    for k in 0..<Self.n { sum += a[i, k] * b[j, k] }
                    self[i, j] = sum
                }
            }
        }
    }
}

extension Covariance {
    /// Writes the elements out, row after row.
    fileprivate mutating func write(to elements: inout [Double]) {
        for i in 0..<rows { for j in 0..<columns { elements[i * columns + j] = self[i, j] } }
    }
}
