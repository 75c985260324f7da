/// The stored reports.
enum StoredReports {
    static let healthy = #"""
         ok    settings     /etc/posed/posed.yaml is valid
         ok    daemon       posed 0.1.0 answers on /run/posed/stream
         ok    storage      /var/lib/posed can be written to
         ok    kernel       the kernel has IIO, and no other program occupies its
                            sensors
         ok    device       IMU 'bmi160' (iio:device0)
         ok    permissions  user posed may read the IMU and set it up
         ok    trigger      the IMU has a buffer and what triggers it
         ok    range        the measuring ranges are wide enough
         ok    rate         the sample rates are high enough
         ok    clock        the system clock is set and synchronized
         ok    gpsd         gpsd 3.22 at localhost port 2947
         ok    fix          /dev/ttyACM0 has a 3D fix, 9 satellites used
         ok    filter       the pose is aligned

        no failure

        """#
    static let first = #"""
         FAIL  settings     /etc/posed/posed.yaml does not exist: posed does not start
                            with it
                      fix:  sudo mkdir -p /etc/posed && posed --print-sample | sudo \
                            tee /etc/posed/posed.yaml
         FAIL  settings     /etc/posed/posed.yaml: user alice may not read it
                      fix:  sudo chmod a+rX /etc/posed
         FAIL  settings     posed.yaml:5:9: gps.port: `abc` is not a number (and 1 more)
                      fix:  sudo sed -i '5s/^/#/;7s/^/#/' /etc/posed/posed.yaml
         FAIL  settings     /etc/posed/posed.yaml: every user may change it (mode 0666)
                      fix:  sudo chmod o-w /etc/posed/posed.yaml
         FAIL  daemon       posed does not run: there is no socket /run/posed/stream
                      fix:  posed --config /etc/posed/posed.yaml &
         FAIL  daemon       posed does not run: it ended and left its socket
                            /run/posed/stream
                      fix:  posed --config /etc/posed/posed.yaml &
         FAIL  daemon       /run/posed/stream: access is denied
                      fix:  sudo usermod -aG posed alice && newgrp posed
         FAIL  daemon       posed does not answer on /run/posed/stream: it hangs, or is
                            stopped
                      fix:  sudo kill -KILL 4711 && posed --config \
                            /etc/posed/posed.yaml &
         warn  daemon       posed 0.0.9 runs, and posectl is 0.1.0
                      fix:  sudo kill -TERM 4711
         FAIL  daemon       group posed of sockets.group does not exist: posed cannot
                            create its sockets
                      fix:  sudo groupadd --system posed
         FAIL  daemon       settings rejected, the old ones stay in force: x
                      fix:  sudo kill -HUP 4711
         warn  daemon       process.real_time_priority: refused: Operation not permitted
                      fix:  printf 'process:\n  real_time_priority: null\n' | sudo tee \
                            -a /etc/posed/posed.yaml
         warn  daemon       2 clients get fewer frames than they asked for
                      look: posectl status --json
         FAIL  storage      /var/lib/posed does not exist: the mount is not saved for
                            the next drive
                      fix:  sudo install -d -m 0750 -o posed -g posed /var/lib/posed
         FAIL  storage      /var/lib/posed: user posed of posed may not write to it
                      fix:  sudo chown posed /var/lib/posed && sudo chmod u+rwx \
                            /var/lib/posed
         FAIL  storage      /var/lib/posed: the disk is full, 4 KiB are free
                      fix:  sudo journalctl --vacuum-size=64M && sudo apt-get clean
         FAIL  storage      /var/lib/posed/mount-1.json: user posed of posed may not
                            read it: it is not used
                      fix:  sudo chown posed /var/lib/posed/mount-1.json && sudo chmod \
                            u+r /var/lib/posed/mount-1.json
         FAIL  storage      /var/lib/posed/mount-1.json: wrong checksum
                      fix:  sudo rm /var/lib/posed/mount-1.json
         FAIL  storage      the road file is not used: /x.roads: is not a road file
                      fix:  printf 'roads:\n  file: null\n' | sudo tee -a \
                            /etc/posed/posed.yaml && sudo kill -HUP 4711
         FAIL  storage      the recording ended: No space left on device
                      fix:  posectl record start
         FAIL  clock        the system clock is in the year 1970: it was never set
                      fix:  sudo date -u -s \
                            "@$(($(cut -d. -f1 /proc/uptime) + 1799995001))"
         warn  clock        the system clock is not synchronized: the delay of the fixes
                            is less well known
                      fix:  sudo timedatectl set-ntp true
         FAIL  clock        the system clock is 10000 s behind the receiver's time
                      fix:  sudo date -u -s \
                            "@$(($(cut -d. -f1 /proc/uptime) + 1799995001))"
         warn  clock        the kernel uses clock source hpet: each reading of the time
                            is slow
                      fix:  echo tsc | sudo tee \
                            /sys/devices/system/clocksource/clocksource0/current_clocksource
         FAIL  kernel       the kernel has no IIO: /sys/bus/iio does not exist
                      fix:  sudo modprobe industrialio
         FAIL  kernel       iio-sensor-proxy runs: it occupies the accelerometer
                      fix:  sudo kill 77
         FAIL  device       there is no IMU: connect one, and load its driver
                      look: ls /sys/bus/iio/devices; sudo dmesg | grep -i -e iio -e \
                            imu -e i2c
         FAIL  device       'bmi160' (iio:device0): there is an accelerometer and no
                            gyro: the attitude needs both
                      look: ls /sys/bus/iio/devices; sudo dmesg | grep -i iio
         FAIL  device       'bmi160' (iio:device0): there is a gyro and no
                            accelerometer: the attitude needs both
                      look: ls /sys/bus/iio/devices; sudo dmesg | grep -i iio
         FAIL  device       imu.gyro_device is name:icm20608, and there is 'bmi160'
                            (iio:device0)
                      fix:  printf 'imu:\n  gyro_device: name:bmi160\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         warn  device       2 devices have a gyro, and imu.gyro_device chooses none:
                            'bmi160' (iio:device0), 'bmi160' (iio:device1)
                      fix:  printf 'imu:\n  gyro_device: id:iio:device0\n' | sudo tee \
                            -a /etc/posed/posed.yaml
         FAIL  device       no iiod at board port 30431 (imu.context): Connection
                            refused
                      fix:  ssh board sudo systemctl start iiod
         FAIL  device       iiod at 192.168.7.1 answers, and posed has no IMU: its unit
                            keeps it from other machines
                      fix:  sudo install -D -m 644 \
                            /usr/share/posed/drop-ins/remote-host.conf \
                            /etc/systemd/system/posed.service.d/remote-host.conf && \
                            sudo systemctl daemon-reload && sudo systemctl restart \
                            posed
         FAIL  permissions  /dev/iio:device0: user posed of posed may not read it (mode
                            0600, group iio)
                      fix:  sudo chgrp iio /dev/iio:device0 && sudo chmod g+rwX \
                            /dev/iio:device0
         FAIL  permissions  /sys/bus/iio/devices/iio:device0/buffer/enable: user posed
                            of posed may not set up 'bmi160' (iio:device0)
                      fix:  sudo chgrp -R iio /sys/bus/iio/devices/iio:device0/ && \
                            sudo chmod -R g+rwX /sys/bus/iio/devices/iio:device0/

        29 failures, 6 warnings
        First:
          sudo mkdir -p /etc/posed && posed --print-sample | sudo tee \
          /etc/posed/posed.yaml

        """#
    static let second = #"""
         FAIL  permissions  'bmi160' (iio:device0) has no device node /dev/iio:device0:
                            udev did not make it
                      fix:  sudo udevadm trigger --action=add --subsystem-match=iio
         warn  trigger      'bmi160' (iio:device0) has no buffer: single readings, late
                            and uneven
                      look: sudo dmesg | grep -i bmi160
         FAIL  trigger      'bmi160' (iio:device0) has a buffer and no trigger: it gives
                            no samples
                      fix:  sudo modprobe iio-trig-hrtimer && sudo mkdir -p \
                            /sys/kernel/config/iio/triggers/hrtimer/posed
         warn  trigger      'bmi160' (iio:device0) has a buffer and no trigger: single
                            readings, at most 100 per s
                      fix:  sudo modprobe iio-trig-hrtimer && sudo mkdir -p \
                            /sys/kernel/config/iio/triggers/hrtimer/posed
         FAIL  trigger      imu.trigger is posed, and there is bmi160-dev0
                      fix:  printf 'imu:\n  trigger: bmi160-dev0\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         FAIL  range        'bmi160' (iio:device0): the accelerometer measures up to 9.8
                            m/s2, and this profile needs 19.4 m/s2
                      fix:  echo 0.000598 | sudo tee \
                            /sys/bus/iio/devices/iio:device0/in_accel_scale
         FAIL  range        'bmi160' (iio:device0) states no scale of its gyro: its unit
                            is unknown
                      look: grep . /sys/bus/iio/devices/iio:device0/in_anglvel_* | \
                            grep scale
         FAIL  rate         /sys/bus/iio/devices/iio:device0/in_anglvel_sampling_frequency:
                            the sample rate of 'bmi160' (iio:device0) cannot be read
                      fix:  echo 50 | sudo tee \
                            /sys/bus/iio/devices/iio:device0/in_anglvel_sampling_frequency
         FAIL  rate         imu.gyro_rate_hz is 20: vibration needs 50 Hz
                      fix:  printf 'imu:\n  gyro_rate_hz: 200\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         FAIL  rate         'bmi160' (iio:device0) has at most 25 Hz: vibration needs 50
                            Hz
                      look: cat \
                            /sys/bus/iio/devices/iio:device0/in_anglvel_sampling_frequency_available
         FAIL  rate         'bmi160' (iio:device0): its low-pass filter ends at 188 Hz,
                            above half of 200 Hz: vibration folds into the readings
                      fix:  echo 98 | sudo tee \
                            /sys/x/in_anglvel_filter_low_pass_3db_frequency
         FAIL  gpsd         gpsd is not installed
                      fix:  sudo apt-get install gpsd
         FAIL  gpsd         gpsd does not run: nothing listens at localhost port 2947
                      fix:  sudo gpsd -S 2947
         FAIL  gpsd         no connection to boat (gps.host): the host is unknown
                      fix:  printf 'gps:\n  host: localhost\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         FAIL  gpsd         gpsd at 192.168.7.1 has reports, and posed gets none: its
                            unit keeps it from other machines
                      fix:  sudo install -D -m 644 \
                            /usr/share/posed/drop-ins/remote-host.conf \
                            /etc/systemd/system/posed.service.d/remote-host.conf && \
                            sudo systemctl daemon-reload && sudo systemctl restart \
                            posed
         FAIL  gpsd         localhost port 8080 is an HTTP server, not gpsd: it sent
                            `HTTP/1.1 400`
                      fix:  printf 'gps:\n  port: 2947\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         FAIL  gpsd         gpsd at localhost port 2947 accepts the connection and says
                            nothing: it hangs
                      fix:  sudo pkill -KILL -x gpsd; sudo gpsd -S 2947
         FAIL  gpsd         gpsd 2.90 speaks protocol 2, and posed 3
                      fix:  sudo apt-get install --only-upgrade gpsd
         FAIL  gpsd         gpsd has no receiver: name it to gpsd, for good in
                            /etc/default/gpsd
                      fix:  sudo gpsdctl add /dev/ttyACM0
         FAIL  gpsd         gps.device is /dev/gps1, and gpsd has /dev/ttyACM0
                      fix:  printf 'gps:\n  device: /dev/ttyACM0\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         warn  gpsd         gps.receivers names /dev/gps1, and gpsd has /dev/ttyACM0
                      look: sudoedit /etc/posed/posed.yaml
         FAIL  gpsd         /dev/ttyACM0 of gpsd does not exist: the receiver is
                            unplugged
                      fix:  sudo gpsdctl remove /dev/ttyACM0
         FAIL  gpsd         /dev/ttyACM0: gpsd may not open it (mode 0600, group
                            dialout)
                      fix:  sudo chgrp dialout /dev/ttyACM0 && sudo chmod g+rw \
                            /dev/ttyACM0
         FAIL  fix          /dev/ttyACM0 sends nothing: check its cable and power
                      look: gpspipe -r -n 5 -x 10
         FAIL  fix          /dev/ttyACM0: gpsd tries speeds (now 38400 bit/s) and
                            recognizes nothing: set the receiver to one of them
                      look: gpspipe -R -x 5 | od -c | head -n 20
         FAIL  fix          /dev/ttyACM0 has no fix yet, with 14 satellites in view: a
                            cold start takes a minute
                      look: cgps -s
         FAIL  fix          /dev/ttyACM0 sees 2 satellites, and a fix needs 4: give the
                            antenna free sky
                      look: cgps -s
         FAIL  fix          /dev/ttyACM0: its date is in the year 2007: its week counter
                            rolled over, or it was never set
                      look: gpsctl /dev/ttyACM0
         warn  fix          /dev/ttyACM0 states no velocity: let it send speed and
                            course (RMC or VTG)
                      look: gpspipe -r -n 20
         FAIL  filter       the pose is coarse after 600 s: drive some hundred metres
                            with bends
                      look: posectl monitor
         warn  filter       the receiver is drifting
                      look: gpspipe -w -n 20
         warn  filter       the receiver's fixes arrive 4 s late: its connection is too
                            slow
                      look: gpspipe -w -n 20
         FAIL  filter       the IMU is saturated (gyroClipped): choose a larger range,
                            or a softer mount
                      look: grep . /sys/bus/iio/devices/iio:device0/in_anglvel_* | \
                            grep scale
         FAIL  filter       the IMU repeats a reading (accelerometerStuck): its cable or
                            its driver fails
                      look: sudo dmesg | grep -i iio
         FAIL  filter       the magnetometer's field is disturbed: iron or a current is
                            near
                      fix:  printf 'imu:\n  magnetometer_device: off\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         FAIL  filter       the mount in the settings contradicts gravity or the drive
                            and is not used: correct fusion.sensor_to_body, or leave it
                            out
                      fix:  printf 'fusion:\n  sensor_to_body: null\n' | sudo tee -a \
                            /etc/posed/posed.yaml
         warn  filter       12 measurements or frames were lost: this machine is too
                            busy
                      look: top -H -b -n 1 -p 4711

        30 failures, 7 warnings
        First:
          sudo udevadm trigger --action=add --subsystem-match=iio

        """#
}
