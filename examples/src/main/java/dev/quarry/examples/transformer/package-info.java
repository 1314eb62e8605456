/// A small transformer on device memory: measured by a dry run, run in the layout that was
/// measured, and compared with the same model on plain arrays.
///
/// [Transformer][dev.quarry.examples.transformer.Transformer] is the program. A
/// [Shape][dev.quarry.examples.transformer.Shape] gives the model's sizes and
/// [Weights][dev.quarry.examples.transformer.Weights] its numbers;
/// [DeviceModel][dev.quarry.examples.transformer.DeviceModel] runs it on a device, and
/// [ArrayModel][dev.quarry.examples.transformer.ArrayModel] on arrays.
@NullMarked
package dev.quarry.examples.transformer;

import org.jspecify.annotations.NullMarked;
