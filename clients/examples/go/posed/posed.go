// Package posed reads the frames of posed from its binary socket `frames`: connects, subscribes, reads, and reconnects
// after a loss. Only the standard library; Linux.
//
// An unknown value is nil, never 0 or NaN. What this release does not know is skipped: messages and blocks of unknown
// ids, and the rest of longer blocks. Fields that an older daemon does not send are nil.
package posed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"time"
)

// DefaultPath is the socket of an installed daemon.
const DefaultPath = "/run/posed/frames"

const (
	magic      = 0x44534f50
	version    = 1
	headerSize = 24
	mostBytes  = 65536
)

// Types of messages, as in posed.h.
const (
	TypeHello = 1
	TypeFrame = 3
	TypeEvent = 5
	TypeBye   = 6
)

// Topics of a subscription.
const (
	Pose     = 1 << 0
	Guidance = 1 << 1
	Speed    = 1 << 2
	Events   = 1 << 4
)

// Flags of a subscription.
const (
	Every  = 1 << 0
	Smooth = 1 << 1
	ECEF   = 1 << 3
)

// Kinds of events, as in posed.h; Event.Code and Event.Subject are described there.
const (
	ManeuverReached = 8
	WaypointReached = 9
	Departed        = 10
	Rejoined        = 11
	WaypointSkipped = 12
)

var errInvalid = errors.New("not a message of posed, version 1")

// Frame has what a head-up display shows. Angles are in degrees, all other quantities in SI units.
type Frame struct {
	Sequence     uint64
	TimeNs       int64
	Dropped      uint64
	Simulated    bool
	State        uint8 // posed_pose.state
	Latitude     *float64
	Longitude    *float64
	HeightHAE    *float64
	Heading      *float64
	Roll         *float64
	Pitch        *float64
	ECEF         *[3]float64
	DistanceTurn *float64
	Progress     *float64
	Speed        *float64
	Limit        *float64
}

// Event is a change; Kind says which.
type Event struct {
	TimeNs  int64
	Kind    uint16
	Subject uint16
	Code    uint32
}

// Message is one packet. Frame, Event and Text are set for their types alone.
type Message struct {
	Type     uint16
	Sequence uint64
	Frame    *Frame
	Event    *Event
	Text     string // of hello the release, of bye the reason
}

// block is one block of a message with its validity bits; reading beyond its end gives zeros.
type block struct {
	data  []byte
	valid uint32
}

func (b block) bytes(offset, count int) []byte {
	result := make([]byte, count)
	if offset < len(b.data) {
		copy(result, b.data[offset:])
	}
	return result
}

func (b block) u16(offset int) uint16 { return binary.LittleEndian.Uint16(b.bytes(offset, 2)) }
func (b block) u32(offset int) uint32 { return binary.LittleEndian.Uint32(b.bytes(offset, 4)) }
func (b block) u64(offset int) uint64 { return binary.LittleEndian.Uint64(b.bytes(offset, 8)) }

// number is nil if its bit is not set, or if it is not finite.
func (b block) number(offset int, bit uint) *float64 {
	value := math.Float64frombits(b.u64(offset))
	if b.valid>>bit&1 == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}

func (b block) text(offsetAt, lengthAt int) (string, error) {
	offset, length := int(b.u16(offsetAt)), int(b.u16(lengthAt))
	if offset+length > len(b.data) {
		return "", errInvalid
	}
	return string(b.data[offset : offset+length]), nil
}

// Decode reads one packet.
func Decode(packet []byte) (*Message, error) {
	if len(packet) < headerSize || binary.LittleEndian.Uint32(packet) != magic ||
		binary.LittleEndian.Uint16(packet[4:]) != version ||
		binary.LittleEndian.Uint32(packet[8:]) != uint32(len(packet)) {
		return nil, errInvalid
	}
	blocks := map[uint16]block{}
	rest := packet[headerSize:]
	for count := binary.LittleEndian.Uint32(packet[12:]); count > 0; count-- {
		if len(rest) < 8 {
			return nil, errInvalid
		}
		id, size := binary.LittleEndian.Uint16(rest), int(binary.LittleEndian.Uint16(rest[2:]))
		if size < 8 || size > len(rest) {
			return nil, errInvalid
		}
		if _, known := blocks[id]; !known {
			blocks[id] = block{rest[:size], binary.LittleEndian.Uint32(rest[4:])}
		}
		rest = rest[size:]
	}
	if len(rest) != 0 {
		return nil, errInvalid
	}
	message := &Message{
		Type: binary.LittleEndian.Uint16(packet[6:]), Sequence: binary.LittleEndian.Uint64(packet[16:]),
	}
	return message, message.read(blocks)
}

func (m *Message) read(blocks map[uint16]block) (err error) {
	needed := map[uint16]uint16{TypeHello: 16, TypeFrame: 1, TypeEvent: 19, TypeBye: 20}
	first, found := blocks[needed[m.Type]]
	if _, known := needed[m.Type]; !known {
		return nil
	}
	if !found {
		return errInvalid
	}
	switch m.Type {
	case TypeHello:
		m.Text, err = first.text(24, 26)
	case TypeBye:
		m.Text, err = first.text(10, 12)
	case TypeEvent:
		m.Event = &Event{int64(first.u64(8)), first.u16(16), first.u16(18), first.u32(20)}
	case TypeFrame:
		m.Frame = frame(first, blocks)
	}
	return err
}

func frame(stamp block, blocks map[uint16]block) *Frame {
	f := &Frame{
		Sequence: stamp.u64(8), TimeNs: int64(stamp.u64(16)), Dropped: stamp.u64(32), Simulated: stamp.valid&2 != 0,
	}
	if pose, sent := blocks[2]; sent {
		f.State = pose.bytes(8, 1)[0]
		f.Latitude, f.Longitude, f.HeightHAE = pose.number(24, 0), pose.number(32, 0), pose.number(40, 1)
		f.Roll, f.Pitch, f.Heading = pose.number(216, 10), pose.number(224, 11), pose.number(232, 12)
	}
	if guidance, sent := blocks[3]; sent {
		f.Progress, f.DistanceTurn = guidance.number(24, 0), guidance.number(48, 4)
	}
	if speed, sent := blocks[4]; sent {
		f.Speed, f.Limit = speed.number(16, 0), speed.number(24, 1)
	}
	if ecef, sent := blocks[27]; sent {
		x, y, z := ecef.number(8, 0), ecef.number(16, 0), ecef.number(24, 0)
		if x != nil && y != nil && z != nil {
			f.ECEF = &[3]float64{*x, *y, *z}
		}
	}
	return f
}

// Subscription is the packet that subscribes to topics; 0 Hz is every frame.
func Subscription(topics uint32, rateHz float64, flags uint32) []byte {
	packet := make([]byte, headerSize+24)
	le := binary.LittleEndian
	le.PutUint32(packet, magic)
	le.PutUint16(packet[4:], version)
	le.PutUint16(packet[6:], 2)
	le.PutUint32(packet[8:], uint32(len(packet)))
	le.PutUint32(packet[12:], 1)
	le.PutUint16(packet[24:], 17)
	le.PutUint16(packet[26:], 24)
	le.PutUint32(packet[32:], topics)
	le.PutUint32(packet[36:], uint32(math.Round(rateHz*1000)))
	le.PutUint32(packet[40:], flags)
	return packet
}

// Client reads messages; one goroutine uses it.
type Client struct {
	// Lost counts the messages for this client that it did not receive, over all connections.
	Lost         uint64
	path         string
	subscription []byte
	connection   *net.UnixConn
	expected     uint64
	wait         time.Duration
	buffer       []byte
}

// NewClient makes a client that connects with its first Next.
func NewClient(path string, topics uint32, rateHz float64, flags uint32) *Client {
	return &Client{path: path, subscription: Subscription(topics, rateHz, flags), buffer: make([]byte, mostBytes)}
}

// Close disconnects. The next Next connects again.
func (c *Client) Close() {
	if c.connection != nil {
		c.connection.Close()
	}
	c.connection = nil
}

// Next waits for the next message. After an error it waits before the next attempt: 0.1 s, later up to 5 s.
func (c *Client) Next() (*Message, error) {
	if c.connection == nil {
		time.Sleep(c.wait)
		if err := c.connect(); err != nil {
			return nil, c.failed(err)
		}
	}
	message, err := c.read()
	if err == nil && message.Type == TypeHello {
		_, err = c.connection.Write(c.subscription)
	}
	if err == nil && message.Type == TypeBye {
		err = fmt.Errorf("the daemon disconnects: %s", message.Text)
	}
	if err != nil {
		return nil, c.failed(err)
	}
	if message.Type != TypeHello {
		// A message after hello: the daemon has taken the subscription.
		c.wait = 0
	}
	return message, nil
}

func (c *Client) connect() error {
	connection, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: c.path, Net: "unixpacket"})
	if err != nil {
		return err
	}
	c.connection, c.expected = connection, 1
	return nil
}

func (c *Client) read() (*Message, error) {
	count, err := c.connection.Read(c.buffer)
	if err != nil {
		return nil, err
	}
	message, err := Decode(c.buffer[:count])
	if err != nil {
		return nil, err
	}
	if message.Sequence > c.expected {
		c.Lost += message.Sequence - c.expected
	}
	c.expected = message.Sequence + 1
	return message, nil
}

func (c *Client) failed(err error) error {
	c.Close()
	if c.wait = 2 * c.wait; c.wait == 0 {
		c.wait = 100 * time.Millisecond
	} else if c.wait > 5*time.Second {
		c.wait = 5 * time.Second
	}
	return err
}
