package dev.couchjobs.bridge.internal.couch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A {@link LoginThrottle} for each user at each server, shared by all that asks there for one bridge. */
public final class LoginThrottles {
    private final String bridge;
    private final Map<Key, LoginThrottle> loginThrottles = new ConcurrentHashMap<>();

    /**
     * The gates of a bridge.
     *
     * @param bridge begins each line of the log about them
     */
    public LoginThrottles(String bridge) {
        this.bridge = bridge;
    }

    private record Key(String server, Credentials user) {}

    LoginThrottle gate(CouchSettings settings, Address address) {
        return loginThrottles.computeIfAbsent(
                new Key(address.server(), settings.credentials()),
                key -> new LoginThrottle(bridge, settings, address.server()));
    }
}
