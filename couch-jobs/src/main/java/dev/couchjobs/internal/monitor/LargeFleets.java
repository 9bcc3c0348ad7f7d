package dev.couchjobs.internal.monitor;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The types of this process that more workers serve than have to look at a lease often (rfc/018). */
final class LargeFleets {
    private final Set<String> types = ConcurrentHashMap.newKeySet();

    void set(String typeName, boolean isLarge) {
        if (isLarge) {
            types.add(typeName);
        } else {
            types.remove(typeName);
        }
    }

    boolean contains(String typeName) {
        return types.contains(typeName);
    }

    int count() {
        return types.size();
    }
}
