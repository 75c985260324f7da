// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
/*
 * An IMU without an interrupt line, as far as a kernel can emulate one: three axes of acceleration and three of angular
 * rate with a triggered buffer and no trigger of its own. It stands still, with a little noise.
 */
#include <linux/iio/buffer.h>
#include <linux/iio/iio.h>
#include <linux/iio/trigger_consumer.h>
#include <linux/iio/triggered_buffer.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/random.h>

#define SIX_AXES_CHANNEL(kind, name, index)                                                                            \
	{                                                                                                              \
		.type = kind, .modified = 1, .channel2 = IIO_MOD_##name, .scan_index = index,                          \
		.info_mask_separate = BIT(IIO_CHAN_INFO_RAW), .info_mask_shared_by_type = BIT(IIO_CHAN_INFO_SCALE),    \
		.scan_type = { .sign = 's', .realbits = 16, .storagebits = 16, .endianness = IIO_CPU },                \
	}

static const struct iio_chan_spec six_axes_channels[] = {
	SIX_AXES_CHANNEL(IIO_ACCEL, X, 0),    SIX_AXES_CHANNEL(IIO_ACCEL, Y, 1),    SIX_AXES_CHANNEL(IIO_ACCEL, Z, 2),
	SIX_AXES_CHANNEL(IIO_ANGL_VEL, X, 3), SIX_AXES_CHANNEL(IIO_ANGL_VEL, Y, 4), SIX_AXES_CHANNEL(IIO_ANGL_VEL, Z, 5),
	IIO_CHAN_SOFT_TIMESTAMP(6),
};

struct six_axes {
	struct {
		s16 axes[6];
		s64 time __aligned(8);
	} scan;
};

/* A raw reading: gravity of 16384 up, and noise of a few counts. */
static s16 six_axes_reading(int index)
{
	return (index == 2 ? 16384 : 0) + (s16)(get_random_u32() & 7) - 4;
}

static int six_axes_read(struct iio_dev *device, const struct iio_chan_spec *channel, int *value, int *more, long mask)
{
	switch (mask) {
	case IIO_CHAN_INFO_RAW:
		*value = six_axes_reading(channel->scan_index);
		return IIO_VAL_INT;
	case IIO_CHAN_INFO_SCALE:
		/* 4 g and 1000 deg/s at the ends of 16 bits. */
		*value = 0;
		*more = channel->type == IIO_ACCEL ? 598550 : 532632;
		return IIO_VAL_INT_PLUS_NANO;
	default:
		return -EINVAL;
	}
}

static const struct iio_info six_axes_info = { .read_raw = six_axes_read };

static irqreturn_t six_axes_trigger(int irq, void *argument)
{
	struct iio_poll_func *poll = argument;
	struct six_axes *own = iio_priv(poll->indio_dev);
	int index, place = 0;

	for_each_set_bit(index, poll->indio_dev->active_scan_mask, 6)
		own->scan.axes[place++] = six_axes_reading(index);
	iio_push_to_buffers_with_timestamp(poll->indio_dev, &own->scan, poll->timestamp);
	iio_trigger_notify_done(poll->indio_dev->trig);
	return IRQ_HANDLED;
}

static struct platform_device *six_axes_platform;
static struct iio_dev *six_axes_device;

static int __init six_axes_start(void)
{
	int error;

	six_axes_platform = platform_device_register_simple("six-axes", -1, NULL, 0);
	if (IS_ERR(six_axes_platform))
		return PTR_ERR(six_axes_platform);
	six_axes_device = iio_device_alloc(&six_axes_platform->dev, sizeof(struct six_axes));
	error = -ENOMEM;
	if (!six_axes_device)
		goto no_device;
	six_axes_device->name = "six-axes";
	six_axes_device->info = &six_axes_info;
	six_axes_device->modes = INDIO_DIRECT_MODE;
	six_axes_device->channels = six_axes_channels;
	six_axes_device->num_channels = ARRAY_SIZE(six_axes_channels);
	error = iio_triggered_buffer_setup(six_axes_device, iio_pollfunc_store_time, six_axes_trigger, NULL);
	if (error)
		goto no_buffer;
	error = iio_device_register(six_axes_device);
	if (!error)
		return 0;
	iio_triggered_buffer_cleanup(six_axes_device);
no_buffer:
	iio_device_free(six_axes_device);
no_device:
	platform_device_unregister(six_axes_platform);
	return error;
}
module_init(six_axes_start);

static void __exit six_axes_stop(void)
{
	iio_device_unregister(six_axes_device);
	iio_triggered_buffer_cleanup(six_axes_device);
	iio_device_free(six_axes_device);
	platform_device_unregister(six_axes_platform);
}
module_exit(six_axes_stop);

MODULE_DESCRIPTION("Emulated IMU without an interrupt line");
MODULE_LICENSE("GPL");
