package dev.couchjobs.bridge.internal.nodes;

import dev.couchjobs.bridge.BridgeSettings;

/**
 * The settings that a person wants for a node.
 *
 * @param revision counts the changes
 * @param settings the settings
 */
public record WantedSettings(long revision, BridgeSettings settings) {
    /** Nothing was changed. */
    public static final WantedSettings NONE = new WantedSettings(0, BridgeSettings.none());
}
