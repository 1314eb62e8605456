package dev.quarry.storage;

/// The name a storage gives one of its allocations, never used again by that storage.
///
/// @param value counts the allocations the storage made, from 0
public record StorageId(long value) {}
