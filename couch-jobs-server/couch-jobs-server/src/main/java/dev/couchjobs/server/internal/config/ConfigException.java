package dev.couchjobs.server.internal.config;

import java.util.List;

/** A configuration is invalid; contains all mistakes. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final List<String> mistakes;

    ConfigException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    /** {@return the mistakes, a line for each} */
    public List<String> mistakes() {
        return mistakes;
    }
}
