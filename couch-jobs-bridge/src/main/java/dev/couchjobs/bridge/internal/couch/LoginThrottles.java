package dev.couchjobs.bridge.internal.couch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The {@link LoginThrottle}s of a bridge, one for each user and server. */
public final class LoginThrottles {
    private final String bridge;
    private final Map<Key, LoginThrottle> loginThrottles = new ConcurrentHashMap<>();

    /**
     * Creates the throttles of a bridge.
     *
     * @param bridge the prefix of their log messages
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
