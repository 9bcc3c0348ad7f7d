package dev.couchjobs.loop;

import dev.couchjobs.internal.loop.LogText;
import dev.couchjobs.internal.loop.RootCauses;
import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A logger for text from outside: names, ids, paths and the messages of errors. Whatever an argument contains, it adds
 * no line that looks like another entry of the log. Safe for use by several threads.
 */
public final class SafeLog {
    private final Logger log;

    private SafeLog(Logger log) {
        this.log = log;
    }

    /**
     * {@return the logger of a class}
     *
     * @param of the class, by whose name the logger is called
     */
    public static SafeLog of(Class<?> of) {
        return new SafeLog(LoggerFactory.getLogger(of));
    }

    /**
     * {@return a logger by its name}
     *
     * @param name the name
     */
    public static SafeLog named(String name) {
        return new SafeLog(LoggerFactory.getLogger(name));
    }

    /** {@return whether {@link #info} logs} */
    public boolean isInfoEnabled() {
        return log.isInfoEnabled();
    }

    /**
     * Logs what is of interest to those who look for a fault.
     *
     * @param format as slf4j takes it
     * @param arguments for its places; an error may follow, whose stack trace is logged
     */
    public void debug(String format, @Nullable Object... arguments) {
        if (log.isDebugEnabled()) {
            log.debug(format, shown(arguments));
        }
    }

    /**
     * Logs what operators may want to know.
     *
     * @param format as slf4j takes it
     * @param arguments for its places; an error may follow, whose stack trace is logged
     */
    public void info(String format, @Nullable Object... arguments) {
        if (log.isInfoEnabled()) {
            log.info(format, shown(arguments));
        }
    }

    /**
     * Logs what operators should look at.
     *
     * @param format as slf4j takes it
     * @param arguments for its places; an error may follow, whose stack trace is logged
     */
    public void warn(String format, @Nullable Object... arguments) {
        if (log.isWarnEnabled()) {
            log.warn(format, shown(arguments));
        }
    }

    /**
     * Logs a fault.
     *
     * @param format as slf4j takes it
     * @param arguments for its places; an error may follow, whose stack trace is logged
     */
    public void error(String format, @Nullable Object... arguments) {
        if (log.isErrorEnabled()) {
            log.error(format, shown(arguments));
        }
    }

    private static @Nullable Object[] shown(@Nullable Object[] arguments) {
        @Nullable Object[] shown = new Object[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            boolean isLast = i == arguments.length - 1;
            shown[i] = arguments[i] instanceof Throwable error
                    ? isLast ? Shown.of(error, 0) : RootCauses.text(error)
                    : LogText.of(String.valueOf(arguments[i]));
        }
        return shown;
    }

    /** An error as it is logged. */
    private static final class Shown extends Throwable {
        @Serial
        private static final long serialVersionUID = 1L;

        /** Beyond it the causes of an error may be each other's. */
        private static final int CAUSES_MAX = 20;

        private final String text;

        private Shown(String text, @Nullable Throwable cause, StackTraceElement[] stack) {
            super(text, cause, true, true);
            this.text = text;
            setStackTrace(stack);
        }

        static @Nullable Throwable of(@Nullable Throwable error, int depth) {
            if (error == null || depth > CAUSES_MAX) {
                return null;
            }
            Throwable cause = of(RootCauses.cause(error), depth + 1);
            Shown shown = new Shown(RootCauses.text(error), cause, RootCauses.frames(error));
            for (Throwable suppressed : error.getSuppressed()) {
                Throwable more = of(suppressed, depth + 1);
                if (more != null) {
                    shown.addSuppressed(more);
                }
            }
            return shown;
        }

        /** The text names the class of the error that is shown. */
        @Override
        @SuppressWarnings("OverrideThrowableToString")
        public String toString() {
            return text;
        }
    }
}
