/// What a program asks for and what it gets: layouts of pools, and their resolution for a device.
///
/// A [Layout][dev.quarry.layout.Layout] is an ordered list of [pools][dev.quarry.layout.PoolSpec]
/// or a named preset. Resolving it for [DeviceProperties][dev.quarry.layout.DeviceProperties]
/// checks it, rounds it to the device's alignment and gives a
/// [ResolvedLayout][dev.quarry.layout.ResolvedLayout], which nothing else can make.
@NullMarked
package dev.quarry.layout;

import org.jspecify.annotations.NullMarked;
