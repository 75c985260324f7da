// Prints a line for a head-up display.
//
//	cd clients/examples/go
//	go run . /run/posed/frames          # or with a number of lines behind the socket
//	go test ./...                       # reads the golden packets of this repository
//
// Needs Go 1.20 or later, no modules, and Linux.
package main

import (
	"fmt"
	"os"
	"strconv"

	"posed.example/hud/posed"
)

const aligned = 3 // POSED_POSE_ALIGNED

func text(value *float64, factor float64, unit string) string {
	if value == nil {
		return "--- " + unit
	}
	return fmt.Sprintf("%.0f %s", *value*factor, unit)
}

func line(f *posed.Frame) string {
	result := text(f.Heading, 1, "deg") + "  " + text(f.Speed, 3.6, "km/h")
	if f.Limit != nil {
		result += fmt.Sprintf(" of %.0f", *f.Limit*3.6)
	}
	if f.DistanceTurn != nil {
		result += "  turn in " + text(f.DistanceTurn, 1, "m")
	}
	if f.State != aligned {
		result += "  (uncertain)"
	}
	return result
}

func main() {
	path, lines := posed.DefaultPath, -1
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	if len(os.Args) > 2 {
		if count, err := strconv.Atoi(os.Args[2]); err == nil {
			lines = count
		}
	}
	client := posed.NewClient(path, posed.Pose|posed.Guidance|posed.Speed, 10, posed.Smooth)
	defer client.Close()
	for lines != 0 {
		message, err := client.Next()
		if err != nil {
			fmt.Println("no pose:", err)
			continue
		}
		if message.Frame != nil {
			fmt.Println(line(message.Frame))
			lines--
		}
	}
}
