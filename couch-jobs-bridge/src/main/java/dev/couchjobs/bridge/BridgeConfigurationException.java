package dev.couchjobs.bridge;

import java.util.List;

/** A configuration is invalid; contains all mistakes. */
public final class BridgeConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> mistakes;

    BridgeConfigurationException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    BridgeConfigurationException(List<String> mistakes, Throwable cause) {
        super(String.join("\n", mistakes), cause);
        this.mistakes = List.copyOf(mistakes);
    }

    /** {@return the mistakes, a line for each} */
    public List<String> mistakes() {
        return mistakes;
    }
}
