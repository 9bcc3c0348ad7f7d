package dev.couchjobs.internal.types;

import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of a type in use. */
final class TypeUseKeys {
    private final byte[] inUse;
    private final byte[] watchesInUse;
    private final byte[] watchesSettings;

    private TypeUseKeys(TypeKeys type) {
        inUse = type.row("in_use");
        watchesInUse = type.keyspace().row("watches_in_use");
        watchesSettings = type.keyspace().row("watches_settings");
    }

    static TypeUseKeys of(TypeKeys type) {
        return type.derived(TypeUseKeys.class, TypeUseKeys::new);
    }

    /** The row of a type in use, with its monitor lease. */
    byte[] inUse() {
        return inUse;
    }

    /** Changed by every commit that brings a type into use: one key for all types. */
    byte[] watchesInUse() {
        return watchesInUse;
    }

    /** Changed by every commit that gives a type another timeout: one key for all types. */
    byte[] watchesSettings() {
        return watchesSettings;
    }
}
