"""The rows of the table: which recording, how it is changed, and what is asked of each figure.

A figure that does not reach what is asked is held to what it reached (``reached.json``), so that it can only improve.
"""
from dataclasses import dataclass, field

# Name of a figure in the scores: title, unit, decimals.
FIGURES = {
    'north': ('north RMS', 'm', 3), 'east': ('east RMS', 'm', 3), 'down': ('down RMS', 'm', 3),
    'horizontal': ('horizontal RMS', 'm', 2), 'p95': ('horizontal 95th percentile', 'm', 2),
    'p95_ratio': ('95th percentile, times that without lag', '', 2),
    'heading': ('heading RMS', 'deg', 2), 'heading_ratio': ('heading RMS, times that without arm', '', 2),
    'walking_heading': ('heading RMS after 60 s, from that with RTK', 'deg', 1),
    'outage': ('largest error of an outage, RMS', 'm', 2),
    'outage_ratio': ('error of an outage, times the held fix\'s', '', 2),
    'within_least': ('least share within 1-sigma (N, E, D)', '%', 0),
    'within_most': ('largest share within 1-sigma (N, E, D)', '%', 0),
    'plane_least': ('least share within 1-sigma (N, E)', '%', 0),
    'plane_most': ('largest share within 1-sigma (N, E)', '%', 0),
    'to_aligned': ('aligned, after the first motion', 's', 1), 'resets': ('resets', '', 0),
    'total': ('total error RMS', 'deg', 2), 'inclination': ('inclination error RMS', 'deg', 2),
    'first_place': ('position in the first minute, RMS', 'm', 3),
    'first_place_ratio': ('position in the first minute, times that of the first replay', '', 2),
    'first_heading': ('heading in the first minute, RMS', 'deg', 1),
    'first_heading_ratio': ('heading in the first minute, times that of the first replay', '', 2),
    'tilt_within': ('tilt within 1-sigma near the end of a range', '%', 0),
    'tilt_later': ('largest tilt error 5 s after it', 'deg', 2),
    'worse': ('installations worse than the receiver', '', 0),
    'not_aligned': ('drives that did not align', '', 0),
    'aligned_median': ('aligned, median', 's', 1), 'aligned_longest': ('aligned, longest', 's', 1),
    'heading_median': ('heading RMS, median', 'deg', 2), 'heading_largest': ('heading RMS, largest', 'deg', 2),
    'heading_within': ('heading within 1-sigma', '%', 0),
    'heading_within_before': ('heading within 1-sigma before the manoeuvre', '%', 0),
    'heading_sigmas': ('largest heading error over its sigma', '', 1),
    'position_within': ('position within 1-sigma (N, E)', '%', 0),
    'velocity_within': ('velocity within 1-sigma (N, E)', '%', 0),
    'tilt_share': ('tilt within 1-sigma', '%', 0),
    'share_most': ('largest of these shares', '%', 0),
    'over_receiver': ('position over receiver, RMS, median', '', 2),
    'flagged_longest': ('longest time to the report', 's', 2),
    'attitude_by_then': ('largest attitude error then', 'deg', 1),
}
# Figures that must not be below what is asked.
AT_LEAST = {
    'within_least', 'plane_least', 'tilt_within', 'heading_within', 'heading_within_before', 'position_within',
    'velocity_within', 'tilt_share'}


@dataclass
class Condition:
    """One row: its replays, and what is asked of their figures. A figure of several replays is their mean; errors of
    outages are put together, times are the longest, resets are added."""

    name: str
    # Figure: what is asked of it; None is only reported.
    asked: dict
    group: str = ''
    # Folder below the recordings; '' for rows of other programs.
    source: str = 'car_drive'
    # Arguments of score.py variant; one replay each.
    variants: list = field(default_factory=lambda: ['--every 4'])
    # Arguments of perturb.py.
    perturbed: str = ''
    profile: str = 'vehicle'
    # Seconds of frames that are not scored, or seconds after the first motion.
    skip: float = 30
    after_motion: float | None = None
    # posectl's command, and further arguments.
    command: str = 'replay'
    options: str = ''
    # position, orientation, clipped, second_replay, never_worse, installations, simulated.
    kind: str = 'position'
    # Row that ratios refer to.
    base: str = ''
    # Runs in the quick check too.
    in_cut: bool = False
    # Seconds at which the recording begins, in place of variants; one replay each.
    begins: tuple = ()


def every(length, firsts, period):
    """Outages of a length, with several first ones: one replay each."""
    return [f'--every 4 --outage {length} --first {first} --period {period}' for first in firsts]


OUTAGE_30 = every(30, [75], 90)
# At which bend or gap an outage begins changes its error more than most conditions do.
ALL_OUTAGES_30 = every(30, range(75, 140, 15), 90)
OUTAGE_60 = every(60, [80], 120)
ALL_OUTAGES_60 = every(60, [80, 100, 120, 140, 160], 120)
CONSUMER = '--every 4 --noise 2.5 --tau 30'
ON_LINE = 120.0
# One jump of a receiver that is followed or not changes the figures of a short recording by a tenth, and which it is
# depends on the digits of everything before.
BEGINS = tuple(round(0.65 * k, 2) for k in range(10))
HONEST = {'within_least': 60, 'within_most': 80}
# Nobody tells the height of the antenna, and no drive on level roads shows it.
HONEST_PLANE = {'plane_least': 60, 'plane_most': 80}


def consumer(seeds, more=''):
    """The errors of a consumer receiver; one replay for each seed."""
    return [f'{CONSUMER}{more} --seed {seed}' for seed in seeds]


def overview():
    """The table of the README."""
    group = 'Overview (README)'
    yield Condition(
        'car, one RTK fix per second', {'north': .021, 'east': .017, 'down': .023, 'heading': .19, **HONEST},
        group, in_cut=True)
    yield Condition('car, 72 outages of 15 s', {'outage': 1.9}, group, variants=every(15, range(45, 80, 5), 45))
    yield Condition(
        'car, 24 outages of 30 s', {'outage': 4.5, **HONEST}, group, variants=ALL_OUTAGES_30)
    yield Condition('car, 16 outages of 60 s', {'outage': 8.3}, group, variants=ALL_OUTAGES_60)
    yield Condition(
        'car, 16 outages of 60 s, smoothed', {'outage': 1.2}, group, variants=ALL_OUTAGES_60, command='smooth')
    yield Condition(
        'car, consumer receiver, eight seeds', {'p95': 3.7, 'heading': .3}, group,
        variants=consumer(range(1, 9), ' --late 0.3'))
    yield Condition(
        'walk, all fixes', {'north': .013, 'east': .012}, group, 'handheld_walk', [''], profile='wearable', in_cut=True)
    yield Condition(
        'walk, 11 outages of 15 s', {'outage': 1.9}, group, 'handheld_walk',
        [f'--outage 15 --first {first} --period 45' for first in range(20, 50, 5)], profile='wearable')


def receivers():
    """Other receivers on the same drive."""
    group = 'Receiver'
    yield Condition('one outage of 30 s every 90 s', {'outage': 3.9}, group, variants=OUTAGE_30, in_cut=True)
    for lag, place, heading in (('0.2,0.5', .06, .3), ('0.6,1.2', .10, .5)):
        yield Condition(
            f'RTK, position and velocity {lag.replace(",", " and ")} s old',
            {'north': place, 'east': place, 'heading': heading}, group, perturbed=f'lag={lag}', after_motion=ON_LINE,
            in_cut=lag == '0.6,1.2')
    base = 'consumer receiver, three seeds'
    yield Condition(base, {'p95': None, 'heading': 1}, group, variants=consumer((1, 2, 3)), after_motion=ON_LINE)
    for lag in ('0,1.2', '1.0,1.8'):
        yield Condition(
            f'consumer, position and velocity {lag.replace(",", " and ")} s old',
            {'p95_ratio': 1.1, 'heading': 1, 'resets': 0}, group, variants=consumer((1, 2, 3)),
            perturbed=f'lag={lag}', after_motion=ON_LINE, base=base)
    yield Condition(
        'no velocity', {'to_aligned': 40, 'heading': .5, 'north': .04, 'east': .04}, group, perturbed='no_velocity',
        in_cut=True)
    yield Condition('no velocity, outages of 30 s', {'outage': 8}, group, variants=OUTAGE_30, perturbed='no_velocity')
    for length in (0.5, 1, 2):
        for side, arm in (('forward', '1,0,0'), ('back', '-1,0,0'), ('left', '0,1,0'), ('right', '0,-1,0')):
            yield Condition(
                f'antenna {length} m {side}', {'horizontal': .15, 'heading_ratio': 1.2, **HONEST_PLANE}, group,
                perturbed='arm=' + arm.replace('1', str(length)), skip=180, base='car, one RTK fix per second',
                in_cut=(length, side) == (2, 'left'))
    for late in (1, 3, 5, 8):
        yield Condition(
            f'fixes {late} s late', {'horizontal': .5 if late <= 5 else None}, group, perturbed=f'late={late}',
            after_motion=ON_LINE, in_cut=late == 5)


def sensors():
    """Other IMUs on the same drive."""
    group = 'IMU'
    for name, change in (
        ('stamps 0.1 s early', 'shift=-0.1'), ('stamps 0.1 s late', 'shift=0.1'), ('stamps 0.2 s late', 'shift=0.2'),
        ('stamps 0.3 s late', 'shift=0.3'), ('clock 300 ppm fast', 'drift=0.0003')
    ):
        yield Condition(
            name, {'north': .04, 'east': .04, **HONEST}, group, perturbed=change, after_motion=ON_LINE,
            in_cut=change in ('shift=0.2', 'drift=0.0003'))
    for count, limit in ((2, 16), (4, 35)):
        yield Condition(
            f'one sample in {count}', {'north': .05, 'east': .05}, group, perturbed=f'drop={count}',
            in_cut=count == 4)
        yield Condition(
            f'one sample in {count}, outages of 30 s', {'outage': limit}, group, variants=OUTAGE_30,
            perturbed=f'drop={count}')
    yield Condition('means of 2 samples, outages of 30 s', {'outage': 5}, group, variants=OUTAGE_30,
                    perturbed='average=2')
    for name, change, limit in (
        ('a fifth of the samples lost', 'lose=0.2', 6), ('gaps of 1.5 s', 'gap=1.5', 6),
        ('gaps of 2.5 s', 'gap=2.5', 10)
    ):
        yield Condition(
            name, {'to_aligned': 60, 'resets': 0, 'north': .08, 'east': .08}, group, perturbed=change,
            in_cut=change != 'gap=2.5')
        yield Condition(
            f'{name}, outages of 30 s', {'outage': limit}, group, variants=OUTAGE_30, perturbed=change)
        yield Condition(
            f'{name}, 24 outages of 30 s', {'outage': limit}, group, variants=ALL_OUTAGES_30, perturbed=change)
    for name, change, limit in (
        ('noise 0.1 deg/s/rtHz', 'noise=0.1', 6), ('noise 0.3 deg/s/rtHz', 'noise=0.3', 14),
        ('axes misaligned by 2 %', 'misalign=0.02', 6), ('accelerometer scale 2 %', 'accel_scale=0.02', 5)
    ):
        yield Condition(
            f'{name}, outages of 30 s', {'outage': limit}, group, variants=OUTAGE_30, perturbed=change,
            in_cut=change in ('noise=0.1', 'accel_scale=0.02'))
        yield Condition(
            f'{name}, 24 outages of 30 s', {'outage': limit}, group, variants=ALL_OUTAGES_30, perturbed=change)
    for number, trial in (
        (15, '15_undisturbed_fast_translation_A'), (21, '21_undisturbed_fast_combined'), (24, '24_disturbed_tapping_A')
    ):
        yield Condition(
            f'ranges of 245 deg/s and 2 g, trial {number}', {'tilt_within': 60, 'tilt_later': 2}, group,
            f'orientation/{trial}', [], 'clip=245,19.6', 'wearable', kind='clipped', in_cut=number == 15)


def second_replays():
    """The same drive again, with what was stored at the end of the first replay."""
    group = 'Second replay of a drive, with what the first has stored'
    for name, change in (
        ('as it was recorded', ''), ('joined in motion', 'begin=66'),
        ('antenna 1.6 m away, joined in motion', 'arm=1.5,0.5,0.5 begin=66'),
        ('position and velocity 0.6 and 1.2 s old, joined in motion', 'lag=0.6,1.2 begin=66'),
        ('gyro bias of 2 deg/s, joined in motion', 'gyro_bias=2 begin=66'),
        ('stamps 0.2 s late, joined in motion', 'shift=0.2 begin=66'),
    ):
        yield Condition(
            name, {'first_place': None, 'first_place_ratio': .5}, group, perturbed=change, kind='second_replay',
            in_cut=not change)
    yield Condition(
        'consumer receiver', {'first_place_ratio': None, 'first_heading': None, 'first_heading_ratio': .5}, group,
        variants=consumer([1]), kind='second_replay')


def wheels():
    """Wheel speed of 10 Hz that is 3 % low and late, in outages of 60 s."""
    for step, limit, words in (('', 2.5, ''), (',0.278', 4, ', in whole km/h')):
        for late in ('0', '0.1', '0.2', '0.3', '0.5'):
            yield Condition(
                f'wheels {late} s late{words}, outages of 60 s', {'outage': limit}, 'Wheels', variants=OUTAGE_60,
                perturbed=f'wheel={late},0.97,10{step}', in_cut=(late, step) in (('0.3', ''), ('0.1', ',0.278')))


def persons():
    """The walk, and the recordings of consumer receivers."""
    group = 'On a person'
    outage = ['--outage 15 --first 20 --period 45']
    for name, change, limit in (
        ('no speed accuracy', 'no_speed_accuracy', 2.5), ('noise 0.3 deg/s/rtHz', 'noise=0.3', 6),
        ('one sample in 2', 'drop=2', 2.5), ('one sample in 4', 'drop=4', 2.5)
    ):
        yield Condition(
            f'walk, {name}, outages of 15 s', {'outage': limit}, group, 'handheld_walk', outage, change, 'wearable',
            in_cut=change in ('no_speed_accuracy', 'drop=4'))
    yield Condition(
        'walk, consumer fixes without velocity', {'walking_heading': 15}, group, 'handheld_walk', [CONSUMER],
        'no_velocity', 'wearable')
    for lag in ('0.3,0.5', '0.6,0.9', '1.0,1.2', '1.2,1.8'):
        place, velocity = lag.split(',')
        yield Condition(
            f'walk, consumer fixes, place and velocity {place} and {velocity} s old', {'walking_heading': 15}, group,
            'handheld_walk', [f'{CONSUMER} --seed {seed}' for seed in (1, 2, 3)], f'lag={lag}', 'wearable')
    yield Condition(
        'walk, consumer fixes without velocity, outages of 15 s', {'outage_ratio': .6}, group, 'handheld_walk',
        [CONSUMER + ' ' + outage[0]], 'no_velocity', 'wearable', in_cut=True)
    group = 'Recordings of phones and data loggers, begun at ten times, compared with their own fixes'
    # The fixes of the car and of the ski are 0.6 and 1.2 s old; they are compared as they are stamped. A figure is the
    # mean over ten begins of the recording.
    for name, source, profiles in (
        ('logger in a car', 'car', {'vehicle': {'p95': 3, 'heading': 5}, 'wearable': {'p95': 5}}),
        ('phone on a motorbike', 'motorbike', {'vehicle': {'p95': 8, 'heading': 8}}),
        ('phone on a sit-ski', 'ski', {'vehicle': {'p95': 6, 'heading': 20}, 'wearable': {'p95': 6}})
    ):
        for profile, asked in profiles.items():
            yield Condition(
                f'{name}, {profile}', asked, group, f'consumer/{source}', [], profile=profile, begins=BEGINS,
                in_cut=True)


def without_positions():
    """Attitude alone, and positions alone."""
    group = 'Orientation with magnetometer'
    # Total error of VQF 2.1 with its default settings, deg; at most 0.1 deg behind it is asked.
    peers = (1.99, 1.07, 1.75, .90, 2.31, 4.08, 1.55, 4.04, 3.75, 2.39)
    trials = (
        '01_undisturbed_slow_rotation_A', '04_undisturbed_slow_rotation_with_breaks_A',
        '07_undisturbed_fast_rotation_B', '11_undisturbed_slow_translation_B', '15_undisturbed_fast_translation_A',
        '21_undisturbed_fast_combined', '24_disturbed_tapping_A', '28_disturbed_stationary_magnet_A',
        '33_disturbed_attached_magnet_2cm', '36_disturbed_attached_magnet_5cm')
    for trial, peer in zip(trials, peers):
        number, _, words = trial.partition('_')
        yield Condition(
            f'trial {number}: {words.replace("_", " ")}', {'total': round(peer + .1, 2), 'inclination': 1.2}, group,
            f'orientation/{trial}', [], profile='wearable', kind='orientation', in_cut=number == '36')
    yield Condition(
        'mean of the ten trials (VQF: 2.38 and 0.83 deg)', {'total': 1.5, 'inclination': .65}, group, '', [],
        kind='mean')
    group = 'Receiver alone, one fix per second'
    yield Condition(
        'car without IMU', {'north': None, 'east': None, 'heading': None, 'p95': None}, group, perturbed='no_imu',
        options='--rate 10')
    yield Condition(
        'walk without IMU', {'north': None, 'east': None, 'p95': None}, group, 'handheld_walk', perturbed='no_imu',
        profile='wearable', options='--rate 10')


def simulated():
    """Drives that are made, not recorded; they need no recording."""
    group = 'Simulated drives'
    for name, words in (('standing', 'that start standing'), ('moving', 'joined in motion, gyro bias unknown')):
        yield Condition(
            f'random drives {words}',
            {'not_aligned': 0, 'aligned_median': 25 if name == 'moving' else None,
             'aligned_longest': 60 if name == 'moving' else None, 'heading_median': .15, 'heading_largest': .3,
             'over_receiver': 1.0}, group, '', [name], kind='simulated', in_cut=True)
        # Apart, because a share over few receivers is no figure for the cut.
        yield Condition(
            f'sigmas of drives {words}',
            {'position_within': 60, 'velocity_within': 60, 'heading_within': 60, 'tilt_share': 60, 'share_most': 80},
            group, '', [name], kind='simulated')
    for options, words in (
            ('--fix-delay 2', 'fixes 2 s late'), ('--every-nth-fix 5', 'one fix in 5'),
            ('--without-velocity', 'no velocity'), ('--without-velocity --without-accuracy', 'places alone'),
            ('--false-velocity', 'a velocity of zero, turned or in another unit'),
            ('--gaps 1.5', 'gaps of the IMU of 1.5 s'), ('--late-receiver', 'a receiver as late as telephones'),
            ('--warming-gyro', 'a gyro that becomes warm'), ('--biased-gyro', 'the gyro biased by 5 to 20 deg/s'),
            ('--turning-holder', 'the holder turns by 20 to 90 degrees')):
        yield Condition(
            f'random drives joined in motion, {words}',
            {'not_aligned': 0, 'aligned_median': 25, 'aligned_longest': None if 'fix 5' in options else 60,
             'heading_median': .5, 'over_receiver': 1.0}, group, '', [f'moving {options}'], kind='simulated')
    for walk, words in (
            ('walk', 'all kinds of receivers'), ('walk --without-velocity', 'no velocity'),
            ('walk --late-receiver', 'receivers as late as telephones'),
            ('walk --antenna-elsewhere', 'the antenna carried elsewhere'),
            ('walk-joined', 'joined in motion, the gyro biased by 1 to 5 deg/s'),
            ('walk --warming-gyro', 'a gyro that becomes warm')):
        yield Condition(
            f'random walks, {words}',
            {'not_aligned': 0, 'heading': 15, 'heading_largest': 15, 'heading_within': 60, 'position_within': 60,
             'over_receiver': 1.0, 'outage_ratio': .6}, group, '', [walk], kind='simulated')
    yield Condition(
        'a gyro that fails while moving', {'flagged_longest': 3.5, 'attitude_by_then': 3}, group, '', ['gyro'],
        kind='simulated')
    for name, words in (('boat', 'a turn of 90 degrees'), ('boat-magnetometer', 'a circle with a magnetometer')):
        yield Condition(
            f'boats with ten degrees of crab, after {words}',
            {'heading': 2, 'heading_largest': 2, 'heading_within': 60, 'heading_within_before': 60,
             'heading_sigmas': None, 'position_within': 60, 'over_receiver': 1.0}, group, '', [name], kind='simulated',
            in_cut=True)
    yield Condition(
        'a hundred random installations, from seed 1000', {'worse': 0}, 'Never worse than the receiver', '',
        ['50 1000', '50 1050'], kind='never_worse')
    yield Condition(
        'a hundred installations on simulated drives, from seed 1', {'worse': 0}, 'Never worse than the receiver', '',
        ['50 1', '50 51'], kind='installations')


def all_conditions():
    """Every row, in the order of the table."""
    return [
        row for part in (
            overview, receivers, sensors, second_replays, wheels, persons, without_positions, simulated)
        for row in part()]
