"""Why figures are not what is asked, as far as it is known: begin of a row's name, and the reason."""
REASONS = [
    ('consumer, position and velocity',
     'The lag of the position is found 0.06 s short: the changed recording moves the fixes, but not the 0.14 s by '
     'which the receiver in it smooths. The rest is the assumed correlation of successive velocities (docs/math.md, '
     'eq. 5.3), which real receivers have and the made errors do not.'),
    ('antenna',
     'The sigma holds what a receiver may smear of the swing, and that the little lag may be that of a clock; these '
     'made swings are smeared less. The recording has an arm of its own, 0.06 m ahead and 0.02 m to the left, so '
     'that arms on the right are found worst.'),
    ('stamps 0.1 s early',
     'What is published is a mixture over the causes of a lag (eq. 5.22); its sigma is too large where the right one '
     'is far likelier than the others.'),
    ('one sample in 4', 'Left out samples alias the vibration of the engine into the motion; means do not.'),
    ('a fifth of the samples lost',
     'Errors of pitch and force over the lost samples are correlated, so that their product does not average out. '
     'Interpolation by the autocovariance, which waits for four samples, was tried outside of posed: 7.1 to 7.6 m.'),
    ('gaps of',
     'In three of five outages a gap lies 15 s before the end. Over 1.5 s the velocity changes by 0.33 m/s (RMS, each '
     'axis) else than the mean of the accelerations before and after it tells, whatever span that is taken over: 5 m '
     'after 15 s.'),
    ('noise 0.',
     'White noise of 0.1 or 0.3 deg/s/rtHz turns the pitch by 0.5 or 1.6 deg in 30 s; integrated freely that is 19 or '
     '56 m.'),
    ('axes misaligned',
     'The cross terms of the gyro are states for turns about the vertical only; rolling and pitching leave theirs '
     'in the pitch.'),
    ('as it was recorded', 'The first replay finds all within its first minute; little is left to be known better.'),
    ('consumer receiver',
     'The errors of both replays are the same (correlation 0.97 to 1.00 over six seeds): those of the velocities in '
     'the first half minute of driving, of which nothing that is stored knows.'),
    (tuple(f'random drives joined in motion, {words}' for words in (
        'fixes', 'one fix', 'no velocity', 'places', 'gaps', 'a receiver', 'a velocity')),
     'A receiver that tells less shows the accelerations of a drive later: from places of 3 m, or with 5 to 20 s '
     'between two of 3 m, only some turns and stops together are more than its noise. Those that take longest begin on '
     'a long straight (`posed-accuracy moving 200 --without-velocity --each`).'),
    ('random drives joined in motion, the gyro biased',
     'The search begins anew once the courses show the bias; three of 200 take longer than a minute (`posed-accuracy '
     'moving 200 --biased-gyro --each`).'),
    ('random drives joined in motion, the holder',
     'To the search for the heading a turn of the holder is one of the vehicle: it begins anew.'),
    ('random drives',
     'The drives beyond 0.3 deg have receivers of 3 m and a stated sigma of 0.1 to 0.7 deg (`posed-accuracy standing '
     '200 --each`); of 200 drives the largest error is near three sigmas.'),
    ('sigmas of drives',
     'Roads without crossfall and tyres without slip make tilt and heading better than on the road, for which the '
     'sigmas are. The places of an RTK receiver that is up to 0.05 s late cannot be told from a clock of the IMU that '
     'is early (eq. 5.22).'),
    ('random walks',
     'A calm walk of 1 m/s shows its heading with its first steps, by 0.7 m/s2 for 2 s, and with its turns, by 0.1 to '
     '0.3 m/s2. Places whose error wanders by 2.5 m in 30 s make velocities that are wrong by 0.4 m/s. Without a '
     'heading are slow walks with such a receiver (`posed-accuracy walk 100 --without-velocity --each`).'),
    ('boats',
     'All but one beyond 2 deg have a consumer receiver with one fix per second: a quarter of those boats, with '
     'errors of two to three of their stated sigmas (`posed-accuracy boat 200 --each`).'),
    ('logger in a car',
     'The fixes are 0.6 s old, and the pose is where the car is: ahead of them by the way of that time, 8 m at 14 m/s. '
     'Taken back by that time the difference is 6 m; before the lag is known the pose follows the fixes.'),
    ('phone on a motorbike', 'A motorbike leans, which a car does not. The fixes jump by 41 m once.'),
    ('phone on a sit-ski', 'The fixes are 1.2 s old, and a ski is neither a car nor a walk.'),
    ('mean of the ten trials', 'Largest where a magnet is near (trials 28 and 33), and in trial 01.'),
]


def reason(name):
    """The reason for a row, or that it is not known."""
    return next((text for begin, text in REASONS if name.startswith(begin)), 'Not known.')
