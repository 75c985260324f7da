import Foundation
import Glibc
import Testing

/// The metrics, rules and dashboard as the real Prometheus reads them.
@Suite(
    .enabled(
        if: ExternalProgram.has("prometheus", "promtool", "python3", "curl"),
        "prometheus, python3 or curl is not installed"))
struct PrometheusTests {
    private static let fleet = "\(ExternalProgram.packageFolder)/clients/fleet"

    /// Runs promtool with a file as its standard input.
    private static func check(metrics path: String) throws -> ProgramResult {
        try ExternalProgram.run("sh", ["-c", "promtool check metrics < '\(path)'"])
    }

    @Test func prometheusReadsTheMetricsAndEveryRuleAndPanelFindsItsOwn() throws {
        // GIVEN a daemon, and a bridge without a broker and with all three outlets
        let daemon = try DaemonProcess()
        let (port, folder) = (Broker.freePort(), try TemporaryFolder())
        let bridge = try BridgeProcess(
            daemon,
            ["bridge.broker=null", "bridge.metrics_port=\(port)", "bridge.metrics_socket=\(folder.path)/socket"]
                + ["bridge.metrics_file=\(folder.path)/posed.prom"])
        let isUp = { (try? bridge.metric("posed_up", port: port)) == 1 }
        #expect(DaemonProcess.poll(seconds: 60, isUp), "\(bridge.log)")
        // THEN promtool accepts the text of each
        let sources = ["http://127.0.0.1:\(port)/metrics", "--unix-socket \(folder.path)/socket http://x/metrics"]
        for source in sources {
            let got = try ExternalProgram.run("sh", ["-c", "curl -sf \(source) > \(folder.path)/got"])
            let checked = try Self.check(metrics: "\(folder.path)/got")
            #expect(got.exitCode == 0 && checked.exitCode == 0 && checked.errors == "", "\(source): \(checked)")
        }
        #expect(try Self.check(metrics: "\(folder.path)/posed.prom").exitCode == 0)
        // THEN other paths and methods are refused, and half a request does no harm
        for (request, status) in [("/", "404"), ("/metrics -X POST", "405")] {
            let got = try ExternalProgram.run(
                "sh", ["-c", "curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:\(port)\(request)"])
            #expect(got.output == status)
        }
        // WHEN the real Prometheus scrapes it
        try Self.scrape(port: port, folder: folder) { ask in
            #expect(DaemonProcess.poll(seconds: 60) { ask("posed_up == 1").contains("posed_up{") })
            // THEN each metric of a rule or a panel is one that the bridge writes, and each expression is valid
            let known = try Self.writtenNames()
            for expression in try Self.expressions() {
                #expect(!ask(expression).contains("error"), "\(expression)")
                for name in expression.matches(of: /posed_[a-z_]+/).map({ String($0.output) }) {
                    let isKnown = known.contains { name == $0 || name == "\($0)_bucket" }
                    #expect(isKnown, "\(name) of \(expression)")
                }
            }
            // WHEN the daemon ends THEN Prometheus sees it
            _ = daemon.stop()
            #expect(DaemonProcess.poll(seconds: 60) { ask("posed_up == 0").contains("posed_up{") })
        }
    }

    @Test(.enabled(if: ExternalProgram.has("prometheus-node-exporter"), "prometheus-node-exporter is not installed"))
    func nodeExporterPassesTheFileOn() throws {
        // GIVEN a bridge that writes its metrics as a file, and a link to it in the folder of node_exporter's collector
        let (daemon, folder, port) = (try DaemonProcess(), try TemporaryFolder(), Broker.freePort())
        let place = try TemporaryFolder()
        let bridge = try BridgeProcess(
            daemon, ["bridge.broker=null", "bridge.metrics_file=\(place.path)/posed.prom"])
        #expect(symlink("\(place.path)/posed.prom", "\(folder.path)/posed.prom") == 0)
        // WHEN node_exporter is asked THEN it has read the file without an error, with all its metrics
        let exporter = try ExternalProgram.start(
            "prometheus-node-exporter",
            [
                "--collector.disable-defaults", "--collector.textfile", "--web.listen-address=127.0.0.1:\(port)",
                "--collector.textfile.directory=\(folder.path)",
            ], output: "\(place.path)/out", errors: "\(place.path)/errors")
        defer { exporter.kill() }
        let ask = { (name: String) in (try? bridge.metric(name, port: port)) ?? nil }
        #expect(DaemonProcess.poll(seconds: 60) { ask("posed_up") == 1 }, "\(place.text(of: "errors")) \(bridge.log)")
        #expect(ask("node_textfile_scrape_error") == 0)
        #expect(ask("posed_frame_latency_seconds_count").map { $0 > 0 } == true)
    }

    @Test func rulesAreValidAndFire() throws {
        // GIVEN the rules WHEN promtool checks them and runs them on series THEN they are valid, and those meant fire
        let rules = "\(Self.fleet)/posed-alerts.yml"
        #expect(try ExternalProgram.run("promtool", ["check", "rules", rules]).exitCode == 0)
        let folder = try TemporaryFolder()
        try folder.write(
            """
            rule_files: ["\(rules)"]
            evaluation_interval: 1m
            tests:
              - interval: 1m
                input_series:
                  - series: 'posed_up{instance="b1"}'
                    values: '1x5 0x10'
                  - series: 'posed_bridge_connected{instance="b1"}'
                    values: '0x30'
                alert_rule_test:
                  - {eval_time: 4m, alertname: PosedDown, exp_alerts: []}
                  - eval_time: 10m
                    alertname: PosedDown
                    exp_alerts:
                      - exp_labels: {severity: critical, instance: b1}
                        exp_annotations:
                          summary: "b1: posed sends no frames"
                          description: "Look at `systemctl status posed` and `posectl doctor` on the board."
                  - {eval_time: 10m, alertname: PosedBridgeOffline, exp_alerts: []}

            """, to: "test.yml")
        let result = try ExternalProgram.run("promtool", ["test", "rules", "\(folder.path)/test.yml"])
        #expect(result.exitCode == 0, "\(result)")
    }

    @Test func thePageNamesEveryMetric() throws {
        // GIVEN the table of the metrics WHEN it is compared with the sources THEN the two have the same names
        let page = try String(contentsOfFile: "\(ExternalProgram.packageFolder)/docs/fleet.md", encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `posed_") }
        let named = Set(rows.flatMap { $0.matches(of: /`(posed_[a-z_]+)`/).map { String($0.output.1) } })
        #expect(named == (try Self.writtenNames()))
    }

    /// The names in the sources of the metrics: some are written only with real sensors.
    private static func writtenNames() throws -> Set<String> {
        let folder = "\(ExternalProgram.packageFolder)/Sources/Bridge/Metrics"
        let names = try ["DaemonMetrics", "BridgeMetrics", "MetricsBoard"].flatMap { file in
            try String(contentsOfFile: "\(folder)/\(file).swift", encoding: .utf8).matches(of: /"(posed_[a-z_]+)"/)
                .map { String($0.output.1) }
        }
        return Set(names)
    }

    /// The expressions of the rules and the panels, for all boards.
    private static func expressions() throws -> [String] {
        let board = try String(contentsOfFile: "\(fleet)/grafana-dashboard.json", encoding: .utf8)
        let object = try JSONSerialization.jsonObject(with: Data(board.utf8)) as? [String: Any]
        let panels = object?["panels"] as? [[String: Any]] ?? []
        let found = panels.flatMap { panel in
            (panel["targets"] as? [[String: Any]] ?? []).compactMap { $0["expr"] as? String }
        }
        #expect(found.count >= 15 && found.count == panels.count)
        let rules = try String(contentsOfFile: "\(fleet)/posed-alerts.yml", encoding: .utf8)
        let plain = rules.matches(of: /expr: ([a-z].*)/).map { String($0.output.1) }
        #expect(plain.count >= 9)
        return found.map { $0.replacingOccurrences(of: "$board", with: ".*") } + plain
    }

    /// Runs Prometheus while it scrapes a port every second, and gives a function that asks it.
    private static func scrape(port: Int, folder: TemporaryFolder, _ body: ((String) -> String) throws -> Void) throws {
        try folder.write(
            """
            global: {scrape_interval: 1s}
            rule_files: ["\(fleet)/posed-alerts.yml"]
            scrape_configs:
              - job_name: posed
                static_configs: [{targets: ["127.0.0.1:\(port)"]}]

            """, to: "prometheus.yml")
        let own = Broker.freePort()
        let process = try ExternalProgram.start(
            "prometheus",
            [
                "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
                "--web.listen-address=127.0.0.1:\(own)",
            ], output: "\(folder.path)/prometheus.out", errors: "\(folder.path)/prometheus.log")
        defer { process.kill() }
        try body { expression in
            let result = try? ExternalProgram.run(
                "promtool", ["query", "instant", "http://127.0.0.1:\(own)", expression])
            return (result?.output ?? "") + (result?.errors ?? "")
        }
    }
}
