// The text of config/demo-route.json, so that the demo needs no file. A test checks that both are equal.

extension DemoRoute {
    /// The route in OSRM form: an invented town in the Atlantic, so that it cannot be confused with a real one.
    package static let text = #"""
        {
          "code": "Ok",
          "waypoints": [
            {"name": "Harbour Street", "location": [-30.0, 45.0]},
            {"name": "Harbour Street", "location": [-30.0, 44.99946]}
          ],
          "routes": [
            {
              "distance": 3386.1, "duration": 307.6, "weight_name": "duration", "weight": 307.6,
              "geometry": {"type": "LineString", "coordinates": [
                [-30.0, 45.0], [-30.0, 45.002699], [-29.996829, 45.002699], [-29.996829, 45.006749],
                [-29.99556, 45.008278], [-29.991121, 45.008278], [-29.992729, 45.005832], [-29.992859, 45.005578],
                [-29.992958, 45.005317], [-29.993024, 45.005052], [-29.993057, 45.004783], [-29.993057, 45.004513],
                [-29.993058, 44.9982], [-29.996829, 44.9982], [-30.0, 44.9982], [-30.0, 44.99946]
              ]},
              "legs": [
                {
                  "distance": 3386.1, "duration": 307.6, "summary": "North Road, Quay Road",
                  "annotation": {
                    "distance": [300.0, 250.0, 450.0, 197.2, 350.0, 300.0, 30.0, 30.0, 30.0, 30.0, 30.0, 701.5, 297.4, 250.0, 140.0],
                    "duration": [27.0, 37.5, 28.9, 12.7, 31.5, 27.0, 2.7, 2.7, 2.7, 2.7, 2.7, 52.6, 26.8, 37.5, 12.6],
                    "maxspeed": [
                      {"speed": 50, "unit": "km/h"}, {"speed": 30, "unit": "km/h"}, {"speed": 70, "unit": "km/h"}, {"speed": 70, "unit": "km/h"},
                      {"speed": 50, "unit": "km/h"}, {"speed": 50, "unit": "km/h"}, {"speed": 50, "unit": "km/h"}, {"speed": 50, "unit": "km/h"},
                      {"speed": 50, "unit": "km/h"}, {"speed": 50, "unit": "km/h"}, {"speed": 50, "unit": "km/h"}, {"speed": 60, "unit": "km/h"},
                      {"speed": 50, "unit": "km/h"}, {"speed": 30, "unit": "km/h"}, {"speed": 50, "unit": "km/h"}
                    ]
                  },
                  "steps": [
                    {
                      "name": "Harbour Street", "distance": 300.0, "duration": 27.0, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-30.0, 45.0], [-30.0, 45.002699]]},
                      "maneuver": {"type": "depart", "location": [-30.0, 45.0], "bearing_before": 0, "bearing_after": 0, "instruction": "Drive north on Harbour Street"}
                    },
                    {
                      "name": "Mill Lane", "distance": 250.0, "duration": 37.5, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-30.0, 45.002699], [-29.996829, 45.002699]]},
                      "maneuver": {"type": "turn", "modifier": "right", "location": [-30.0, 45.002699], "bearing_before": 0, "bearing_after": 90, "instruction": "Turn right into Mill Lane"}
                    },
                    {
                      "name": "North Road", "distance": 450.0, "duration": 28.9, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-29.996829, 45.002699], [-29.996829, 45.006749]]},
                      "maneuver": {"type": "turn", "modifier": "left", "location": [-29.996829, 45.002699], "bearing_before": 90, "bearing_after": 0, "instruction": "Turn left into North Road"}
                    },
                    {
                      "name": "Ridge Way", "distance": 197.2, "duration": 12.7, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-29.996829, 45.006749], [-29.99556, 45.008278]]},
                      "maneuver": {"type": "fork", "modifier": "slight right", "location": [-29.996829, 45.006749], "bearing_before": 0, "bearing_after": 30, "instruction": "Keep right onto Ridge Way"}
                    },
                    {
                      "name": "Ridge Avenue", "distance": 350.0, "duration": 31.5, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-29.99556, 45.008278], [-29.991121, 45.008278]]},
                      "maneuver": {"type": "turn", "modifier": "right", "location": [-29.99556, 45.008278], "bearing_before": 30, "bearing_after": 90, "instruction": "Turn right into Ridge Avenue"}
                    },
                    {
                      "name": "Old Dyke", "distance": 1151.5, "duration": 93.1, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-29.991121, 45.008278], [-29.992729, 45.005832], [-29.992859, 45.005578], [-29.992958, 45.005317], [-29.993024, 45.005052], [-29.993057, 45.004783], [-29.993057, 45.004513], [-29.993058, 44.9982]]},
                      "maneuver": {"type": "turn", "modifier": "sharp right", "location": [-29.991121, 45.008278], "bearing_before": 90, "bearing_after": 205, "instruction": "Turn sharp right into Old Dyke"}
                    },
                    {
                      "name": "Quay Road", "distance": 547.4, "duration": 64.3, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-29.993058, 44.9982], [-29.996829, 44.9982], [-30.0, 44.9982]]},
                      "maneuver": {"type": "turn", "modifier": "right", "location": [-29.993058, 44.9982], "bearing_before": 180, "bearing_after": 270, "instruction": "Turn right into Quay Road"}
                    },
                    {
                      "name": "Harbour Street", "distance": 140.0, "duration": 12.6, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-30.0, 44.9982], [-30.0, 44.99946]]},
                      "maneuver": {"type": "end of road", "modifier": "right", "location": [-30.0, 44.9982], "bearing_before": 270, "bearing_after": 0, "instruction": "At the end of the road turn right into Harbour Street"}
                    },
                    {
                      "name": "Harbour Street", "distance": 0, "duration": 0, "mode": "driving",
                      "geometry": {"type": "LineString", "coordinates": [[-30.0, 44.99946], [-30.0, 44.99946]]},
                      "maneuver": {"type": "arrive", "location": [-30.0, 44.99946], "bearing_before": 0, "bearing_after": 0, "instruction": "You have arrived, and the tour begins again"}
                    }
                  ]
                }
              ]
            }
          ]
        }
        """# + "\n"
}
