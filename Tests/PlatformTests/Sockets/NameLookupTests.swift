import Glibc
import Testing

@testable import Platform

/// Addresses of hosts, looked up on a thread of their own.
@Suite struct NameLookupTests {
    @Test func aLookupGivesTheAddressesWithTheirPort() throws {
        // GIVEN numeric hosts, which need no name service WHEN the lookup is complete THEN each has its address with
        // the port, most significant byte first
        for (host, family, port) in [("127.0.0.1", AF_INET, UInt16(2947)), ("::1", AF_INET6, 80)] {
            let lookup = try #require(NameLookup.begin(host: host, port: port))
            let found = try #require(lookup.wait(stop: StopSignal(), seconds: 60))
            #expect(found.map(\.family) == [family])
            let bytes = found.first.map { Array($0.bytes[2..<4]) }
            #expect(bytes == [UInt8(port >> 8), UInt8(port & 0xFF)])
            // AND it is known from then on, also after a stop
            let stop = StopSignal()
            stop.raise()
            #expect(lookup.wait(stop: stop, seconds: 0)?.count == 1)
        }
    }

    @Test func aNameIsLookedUp() throws {
        // GIVEN a name that every machine knows THEN the lookup gives its addresses, each with the port 2947, which is
        // 0x0B83
        let lookup = try #require(NameLookup.begin(host: "localhost", port: 2947))
        let found = try #require(lookup.wait(stop: StopSignal(), seconds: 60))
        #expect(!found.isEmpty && found.allSatisfy { Array($0.bytes[2..<4]) == [0x0B, 0x83] })
    }

    @Test func aHostThatIsNoneHasNoAddress() throws {
        // GIVEN a host of characters that no name has WHEN it is looked up THEN that ends, without an address
        #expect(HostAddress.lookUp(host: "", port: 1, onlyNumeric: true).isEmpty)
        #expect(HostAddress.lookUp(host: "256.0.0.1", port: 1, onlyNumeric: true).isEmpty)
        let four = try #require(HostAddress.lookUp(host: "127.0.0.1", port: 1, onlyNumeric: true).first)
        #expect(four.bytes.count == MemoryLayout<sockaddr_in>.size)
        let six = try #require(HostAddress.lookUp(host: "::1", port: 1, onlyNumeric: true).first)
        #expect(six.bytes.count == MemoryLayout<sockaddr_in6>.size)
    }
}
