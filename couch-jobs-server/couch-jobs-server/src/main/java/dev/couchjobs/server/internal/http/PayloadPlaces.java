package dev.couchjobs.server.internal.http;

import java.util.Map;
import java.util.Optional;

/**
 * Where the payloads of users stand in a JSON text. They are kept as they are written there, so that no digit is
 * rounded.
 *
 * @param isPayload whether the value itself is a payload
 * @param properties where payloads stand in the properties of an object
 * @param items where they stand in each item of an array
 */
public record PayloadPlaces(boolean isPayload, Map<String, PayloadPlaces> properties, Optional<PayloadPlaces> items) {
    public static final PayloadPlaces NONE = new PayloadPlaces(false, Map.of(), Optional.empty());
    public static final PayloadPlaces WHOLE = new PayloadPlaces(true, Map.of(), Optional.empty());

    /** {@return whether there is no payload} */
    public boolean isNone() {
        return !isPayload && properties.isEmpty() && items.isEmpty();
    }

    PayloadPlaces in(String property) {
        return properties.getOrDefault(property, NONE);
    }

    PayloadPlaces inItems() {
        return items.orElse(NONE);
    }
}
