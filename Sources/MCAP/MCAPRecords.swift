/// How the messages of a channel are described.
package struct MCAPSchema: Hashable, Sendable {
    /// Identifier within the file, from 1.
    package var id: UInt16
    /// Name, such as `foxglove.LocationFix`.
    package var name: String
    /// Encoding of ``data``, such as `protobuf` or `jsonschema`.
    package var encoding: String
    /// The description.
    package var data: [UInt8]

    /// Creates a schema.
    package init(id: UInt16, name: String, encoding: String, data: [UInt8]) {
        self.id = id
        self.name = name
        self.encoding = encoding
        self.data = data
    }
}

/// A stream of messages of one kind.
package struct MCAPChannel: Hashable, Sendable {
    /// Identifier within the file.
    package var id: UInt16
    /// Identifier of its schema; 0 for none.
    package var schema: UInt16
    /// Topic, such as `/posed/imu`.
    package var topic: String
    /// Encoding of the messages, such as `protobuf` or `json`.
    package var encoding: String

    /// Creates a channel.
    package init(id: UInt16, schema: UInt16, topic: String, encoding: String) {
        self.id = id
        self.schema = schema
        self.topic = topic
        self.encoding = encoding
    }
}

/// One message.
package struct MCAPMessage: Hashable, Sendable {
    /// Identifier of its channel.
    package var channel: UInt16
    /// Number that the writer chose; 0 for none.
    package var sequence: UInt32
    /// Time of recording, nanoseconds.
    package var logTime: UInt64
    /// Time of publishing, nanoseconds.
    package var publishTime: UInt64
    /// The content.
    package var data: ArraySlice<UInt8>

    /// Creates a message.
    package init(
        channel: UInt16, sequence: UInt32, logTime: UInt64, publishTime: UInt64, data: ArraySlice<UInt8>
    ) {
        self.channel = channel
        self.sequence = sequence
        self.logTime = logTime
        self.publishTime = publishTime
        self.data = data
    }
}

/// A file within the file.
package struct MCAPAttachment: Hashable, Sendable {
    /// Time of recording, nanoseconds.
    package var logTime: UInt64 = 0
    /// Time of its creation, nanoseconds; 0 if unknown.
    package var createTime: UInt64 = 0
    /// Name.
    package var name: String
    /// Media type, such as `application/yaml`.
    package var mediaType: String
    /// The content.
    package var data: [UInt8]

    /// Creates an attachment.
    package init(name: String, mediaType: String, data: [UInt8]) {
        self.name = name
        self.mediaType = mediaType
        self.data = data
    }
}

/// Named texts.
package struct MCAPMetadata: Hashable, Sendable {
    /// Name.
    package var name: String
    /// The texts by key.
    package var values: [String: String]

    /// Creates metadata.
    package init(name: String, values: [String: String]) {
        self.name = name
        self.values = values
    }
}

/// A record of the data section, in the order of the file.
package enum MCAPRecord: Hashable, Sendable {
    /// The start of the file: who wrote it.
    case header(profile: String, library: String)
    /// A schema; it precedes the channels that use it.
    case schema(MCAPSchema)
    /// A channel; it precedes its messages.
    case channel(MCAPChannel)
    /// A message.
    case message(MCAPMessage)
    /// An attachment.
    case attachment(MCAPAttachment)
    /// Metadata.
    case metadata(MCAPMetadata)
}

/// How a file ended.
package enum MCAPEnd: Hashable, Sendable {
    /// It is complete.
    case complete
    /// It was cut off: the record at this offset is incomplete. All records before it were read.
    case cutOff(offset: Int)
}
