package dev.couchjobs.server.internal.jetty;

import dev.couchjobs.loop.SafeLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Scheduler;

/** Loads certificates again when their files have changed. If they cannot be used, those that are loaded stay. */
final class TlsReload {
    private static final SafeLog LOG = SafeLog.of(TlsReload.class);

    private final NetSettings.Tls files;
    private final SslContextFactory.Server factory;
    private final Scheduler scheduler;
    private final Duration interval;
    private String loaded;
    private String failed = "";

    TlsReload(NetSettings.Tls files, SslContextFactory.Server factory, Scheduler scheduler, Duration interval) {
        this.files = files;
        this.factory = factory;
        this.scheduler = scheduler;
        this.interval = interval;
        loaded = state();
    }

    void start() {
        next();
    }

    private void next() {
        if (scheduler.isRunning()) {
            scheduler.schedule(this::check, interval.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** One check is over before the next one is scheduled. */
    private void check() {
        String now = state();
        if (!now.equals(loaded)) {
            load(now);
        }
        next();
    }

    private void load(String now) {
        try {
            KeyStore store = PemFiles.load(files);
            factory.reload(reloaded -> reloaded.setKeyStore(store));
            loaded = now;
            failed = "";
            LOG.info("The certificates in {} have been loaded again", files.certificates());
        } catch (Exception e) { // Jetty declares no less
            if (!now.equals(failed)) {
                LOG.error("The new certificates cannot be used; those loaded before stay: {}", e.getMessage());
            }
            failed = now;
        }
    }

    private String state() {
        return state(files.certificates()) + " " + state(files.key());
    }

    private static String state(Path file) {
        try {
            return Files.getLastModifiedTime(file) + " " + Files.size(file);
        } catch (IOException e) {
            return "";
        }
    }
}
