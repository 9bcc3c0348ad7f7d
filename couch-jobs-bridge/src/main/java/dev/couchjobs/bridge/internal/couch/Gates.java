package dev.couchjobs.bridge.internal.couch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A {@link Gate} for each user at each server, shared by all that asks there for one bridge. */
public final class Gates {
    private final String bridge;
    private final Map<Key, Gate> gates = new ConcurrentHashMap<>();

    /**
     * The gates of a bridge.
     *
     * @param bridge begins each line of the log about them
     */
    public Gates(String bridge) {
        this.bridge = bridge;
    }

    private record Key(String server, Credentials user) {}

    Gate gate(CouchSettings settings, Address address) {
        return gates.computeIfAbsent(
                new Key(address.server(), settings.credentials()), key -> new Gate(bridge, settings, address.server()));
    }
}
