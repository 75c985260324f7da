import Frames

import struct Foundation.Data

extension JSONWriter {
    /// The text as bytes for FlyingFox.
    var data: Data { withBytes { Data($0) } }
}
