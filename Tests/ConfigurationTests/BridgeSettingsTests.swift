import Testing

@testable import Configuration

@Suite struct BridgeSettingsTests {
    @Test func mistakesSayWhatToDo() {
        // GIVEN sections with one mistake each WHEN they are checked THEN the mistake names the remedy
        let cases = [
            ("id: a/b", "letters, digits"), ("id: \"+\"", "letters, digits"), ("topic: posed/#", "letters, digits"),
            ("topic: /posed", "letters, digits"), ("commands: [reset, record]", "no command that a fleet may send"),
            ("commands: [reset, reset]", "there twice"), ("commands: [route-to]", "did you mean route_to?"),
            ("commands: reset", "not a list"), ("login_file: a/b", "absolute path, or the name of a credential"),
            ("metrics_file: /run/x.txt", "ends in .prom"), ("key_file: board.key", "belong together"),
            ("rate_hz: 0", "no pose would be sent"), ("port: 0", "1 to 65535"), ("store_mib: 1", "2 to 65536"),
            ("tls: false\n  ca_file: /etc/ca.pem", "certificates are set"),
        ]
        for (text, remedy) in cases {
            let mistakes = SettingsFixture.mistakes("bridge:\n  \(text)\n")
            #expect(mistakes.count == 1 && mistakes[0].contains(remedy), "\(text): \(mistakes)")
        }
    }

    @Test(arguments: [("tls: true", 8883), ("tls: false", 1883), ("tls: false\n  port: 8884", 8884)])
    func thePortIsThatOfTheProtocol(lines: String, port: Int) throws {
        // GIVEN a broker with and without TLS THEN the port is the registered one of MQTT, or the one that is set
        let text = "bridge:\n  broker: broker.example\n  \(lines)\n"
        #expect(try SettingsLoader.load(text: text, name: "t").settings.bridge.portInUse == port)
    }

    @Test func aWholeSectionIsRead() throws {
        // GIVEN a section with most keys WHEN it is loaded and written again THEN it is the same
        let text = """
            bridge:
              broker: broker.example
              ca_file: /etc/posed/ca.pem
              certificate_file: board.pem
              key_file: board.key
              id: 12
              commands: [route_to, target]
              rate_hz: 0
              change_m: 5

            """
        let loaded = try SettingsLoader.load(text: text, name: "t")
        let bridge = loaded.settings.bridge
        #expect(bridge.id == "12" && bridge.commands == [.routeTo, .target] && bridge.portInUse == 8883 && bridge.isOn)
        let again = try SettingsLoader.load(text: SettingsWriter.effective(loaded), name: "u")
        #expect(again.settings.bridge == bridge)
    }
}
