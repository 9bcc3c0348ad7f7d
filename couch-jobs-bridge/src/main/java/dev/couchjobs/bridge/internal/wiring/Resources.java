package dev.couchjobs.bridge.internal.wiring;

import com.sun.management.OperatingSystemMXBean;
import dev.couchjobs.bridge.BridgeNode;
import java.lang.management.ManagementFactory;
import java.util.OptionalDouble;

/** What this process uses. */
final class Resources {
    private Resources() {}

    static BridgeNode.Resources now() {
        Runtime runtime = Runtime.getRuntime();
        return new BridgeNode.Resources(runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(), load());
    }

    private static OptionalDouble load() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            double load = system.getProcessCpuLoad();
            return load >= 0 && load <= 1 ? OptionalDouble.of(load) : OptionalDouble.empty();
        }
        return OptionalDouble.empty();
    }
}
