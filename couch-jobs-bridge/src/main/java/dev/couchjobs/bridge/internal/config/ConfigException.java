package dev.couchjobs.bridge.internal.config;

import java.util.List;

/** A configuration cannot be used; says everything that is wrong with it. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    private final List<String> mistakes;

    ConfigException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    /** {@return what is wrong, a line for each mistake} */
    public List<String> mistakes() {
        return mistakes;
    }
}
