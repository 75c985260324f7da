package posed

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const golden = "../../../../Tests/FramesTests/Golden/version1"

// packet reads a stored packet and its values.
func packet(t *testing.T, name string) ([]byte, map[string]interface{}) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(golden, name+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join(golden, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]interface{}{}
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	return data, values
}

// near compares a value with a member such as "pose.lat_deg", to the decimals of the line.
func near(t *testing.T, values map[string]interface{}, path string, value *float64, tolerance float64) {
	t.Helper()
	var member interface{} = values
	for _, name := range strings.Split(path, ".") {
		member = member.(map[string]interface{})[name]
	}
	number, known := member.(float64)
	if known != (value != nil) || known && math.Abs(number-*value) > tolerance {
		t.Errorf("%s is %v", path, member)
	}
}

func TestFrames(t *testing.T) {
	for _, name := range []string{"frame", "frame-ecef", "shorter-frame"} {
		data, values := packet(t, name)
		message, err := Decode(data)
		if err != nil || message.Frame == nil || message.Sequence != 41 {
			t.Fatalf("%s: %v", name, err)
		}
		f := message.Frame
		near(t, values, "pose.lat_deg", f.Latitude, 1e-9)
		near(t, values, "pose.lon_deg", f.Longitude, 1e-9)
		near(t, values, "pose.alt_hae_m", f.HeightHAE, 1e-4)
		near(t, values, "pose.roll_deg", f.Roll, 1e-4)
		near(t, values, "pose.pitch_deg", f.Pitch, 1e-4)
		near(t, values, "pose.heading_deg", f.Heading, 1e-4)
		near(t, values, "speed.speed_m_s", f.Speed, 1e-4)
		near(t, values, "speed.limit_m_s", f.Limit, 1e-4)
		if _, sent := values["guidance"]; sent {
			near(t, values, "guidance.progress_m", f.Progress, 1e-3)
			near(t, values, "guidance.distance_to_turn_m", f.DistanceTurn, 1e-3)
		}
		if f.Dropped != 3 || float64(f.Sequence) != values["seq"].(float64) {
			t.Errorf("%s: dropped %d, sequence %d", name, f.Dropped, f.Sequence)
		}
		ecef, asked := values["pose"].(map[string]interface{})["ecef_m"].([]interface{})
		if asked != (f.ECEF != nil) {
			t.Fatalf("%s: ecef %v", name, f.ECEF)
		}
		for axis := range ecef {
			if math.Abs(ecef[axis].(float64)-f.ECEF[axis]) > 1e-4 {
				t.Errorf("%s: ecef %v", name, f.ECEF)
			}
		}
	}
}

func TestEvents(t *testing.T) {
	for name, want := range map[string]struct {
		kind   uint16
		member string
	}{
		"event-maneuver-reached": {ManeuverReached, "maneuver"}, "event-waypoint-reached": {WaypointReached, "waypoint"},
		"event-waypoint-skipped": {WaypointSkipped, "waypoint"}, "event-departed": {Departed, "route_version"},
		"event-rejoined": {Rejoined, "route_version"},
	} {
		data, values := packet(t, name)
		message, err := Decode(data)
		if err != nil || message.Event == nil || message.Event.Kind != want.kind {
			t.Fatalf("%s: %v %v", name, message, err)
		}
		if float64(message.Event.Code) != values[want.member].(float64) {
			t.Errorf("%s: %v", name, message.Event)
		}
	}
}

func TestOthers(t *testing.T) {
	data, values := packet(t, "bye-too-many")
	if message, err := Decode(data); err != nil || message.Text != values["text"].(string) {
		t.Errorf("bye: %v", err)
	}
	data, _ = packet(t, "subscribe")
	mine := Subscription(Pose|Events, 200, Every|Smooth|4)
	copy(mine[16:24], data[16:24]) // the sequence of the stored packet
	copy(mine[44:48], data[44:48]) // lead_ms, which this client does not use
	if !bytes.Equal(mine, data) {
		t.Errorf("subscription %x", mine)
	}
	for length := 0; length < len(data); length++ {
		if _, err := Decode(data[:length]); err == nil {
			t.Errorf("%d bytes are taken", length)
		}
	}
}

// waits serves two connections with these packets, and tells how long the client waits after each.
func waits(t *testing.T, packets ...[]byte) [2]time.Duration {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frames")
	listener, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			for _, data := range packets {
				connection.Write(data)
			}
			connection.Read(make([]byte, 512)) // the subscription
		}
	}()
	client := NewClient(path, Pose, 0, 0)
	var found [2]time.Duration
	for count := range found {
		for err = nil; err == nil; {
			_, err = client.Next()
		}
		found[count] = client.wait
	}
	return found
}

func TestRefusals(t *testing.T) {
	hello, _ := packet(t, "hello")
	frame, _ := packet(t, "frame")
	bye, _ := packet(t, "bye-too-many")
	if found := waits(t, hello, bye); found != [2]time.Duration{100 * time.Millisecond, 200 * time.Millisecond} {
		t.Errorf("refused: %v", found)
	}
	if found := waits(t, hello, frame, bye); found != [2]time.Duration{100 * time.Millisecond, 100 * time.Millisecond} {
		t.Errorf("served: %v", found)
	}
}
