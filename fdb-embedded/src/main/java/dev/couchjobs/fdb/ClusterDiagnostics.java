package dev.couchjobs.fdb;

import com.apple.foundationdb.FDBException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;

/** Why a cluster does not answer, as far as that can be found out from here. */
final class ClusterDiagnostics {
    private static final int TIMED_OUT = 1031;
    private static final int LOCKED = 1038;
    private static final int CONNECT_MILLIS = 500;
    private static final int ASKED_MAX = 5;

    private ClusterDiagnostics() {}

    static String explained(ClusterFile file, ClusterOptions options, Throwable error) {
        String cluster = "The cluster of " + file.path().toAbsolutePath();
        if (!(error instanceof FDBException failure)) {
            return cluster + " cannot be read: " + error;
        }
        return switch (failure.getCode()) {
            case TIMED_OUT ->
                cluster + " has not answered within " + options.answerWithin().toSeconds() + " seconds. "
                        + advice(file.coordinators());
            case LOCKED ->
                cluster + " is locked, as it is while a backup is restored into it: `fdbcli -C " + file.path()
                        + " --exec unlock` with the number that locked it opens it again.";
            default -> cluster + " answers with error " + failure.getCode() + ", " + failure.getMessage() + ".";
        };
    }

    private static String advice(List<String> coordinators) {
        List<String> silent = coordinators.stream()
                .limit(ASKED_MAX)
                .filter(coordinator -> !isListening(coordinator))
                .toList();
        return silent.isEmpty()
                ? "Its coordinators " + coordinators
                        + " can be reached, so it is starting, has not been configured, or has"
                        + " lost too many machines: `fdbcli --exec status` tells."
                : "Nothing listens at " + silent + " (of " + coordinators.size()
                        + " coordinators): is it running, and is the address right as seen from this machine?";
    }

    private static boolean isListening(String coordinator) {
        String address = coordinator.replaceFirst("(:tls|\\(.*\\))$", "");
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon).replaceAll("[\\[\\]]", "");
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1))), CONNECT_MILLIS);
            return true;
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }
}
