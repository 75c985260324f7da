import CZstd

/// Compresses with zstd. The memory for it is allocated once.
final class ZstdCompressor {
    private let context: OpaquePointer?
    private var output: [UInt8] = []

    /// A recording of a simulated drive is 3 % larger than with level 3; level 1 needs less memory and time.
    private static let level: Int32 = 1

    init() { context = ZSTD_createCCtx() }

    deinit { ZSTD_freeCCtx(context) }

    /// Appends the compressed form of bytes; returns `false`, and appends nothing, if it is not smaller or there is no
    /// memory for it.
    func append(_ bytes: [UInt8], to target: inout [UInt8]) -> Bool {
        guard let context, !bytes.isEmpty else { return false }
        // Room for one byte less than the input: zstd reports an error instead of a longer output.
        let capacity = bytes.count - 1
        if output.count < capacity { output = [UInt8](repeating: 0, count: capacity) }
        let length = output.withUnsafeMutableBytes { output in
            bytes.span.withUnsafeBytes {
                ZSTD_compressCCtx(context, output.baseAddress, capacity, $0.baseAddress, $0.count, Self.level)
            }
        }
        guard ZSTD_isError(length) == 0 else { return false }
        target.append(contentsOf: output[..<length])
        return true
    }
}

/// Decompresses zstd into exactly the stated size.
final class ZstdDecompressor {
    private let context: OpaquePointer?

    init() { context = ZSTD_createDCtx() }

    deinit { ZSTD_freeDCtx(context) }

    /// The decompressed bytes; `nil` if the input is damaged or does not have exactly that size.
    func decompress(_ bytes: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
        guard let context else { return nil }
        var isComplete = false
        let output = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            let length = bytes.withUnsafeBytes {
                ZSTD_decompressDCtx(context, output.baseAddress, size, $0.baseAddress, $0.count)
            }
            isComplete = ZSTD_isError(length) == 0 && length == size
            count = isComplete ? size : 0
        }
        return isComplete ? output : nil
    }
}
