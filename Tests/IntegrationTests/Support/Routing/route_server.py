"""Answers every request with one short route of OSRM; below /silent it says nothing.

usage: route_server.py PORT [CERTIFICATE KEY]
"""
import http.server
import ssl
import sys
import time

ROUTE = (
    b'{"code":"Ok","routes":[{"distance":556.6,"duration":40,"legs":[],"geometry":{"type":"LineString",'
    b'"coordinates":[[1.52,42.5],[1.52,42.505]]}}]}'
)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/silent"):
            time.sleep(60)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ROUTE)))
        # What the client asked for as a whole: an address with a host where this is its proxy.
        self.send_header("X-Asked", self.path[:40])
        self.end_headers()
        self.wfile.write(ROUTE)

    def log_message(self, *_):
        print(self.path, flush=True)


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.daemon_threads = True
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
