package dev.couchjobs.fdb.internal.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Bytes on a simulated disk. Of each sector it keeps what every write since the last sync made of it. */
final class SimulatedFile {
    private byte[] synced = new byte[0];
    private byte[] current = new byte[0];
    private final Map<Integer, List<byte[]>> unsynced = new TreeMap<>();

    byte[] current() {
        return current;
    }

    void write(int position, byte[] bytes) {
        if (position + bytes.length > current.length) {
            current = Arrays.copyOf(current, position + bytes.length);
        }
        System.arraycopy(bytes, 0, current, position, bytes.length);
        int end = position + bytes.length;
        for (int sector = position & -SegmentLayout.SECTOR; sector < end; sector += SegmentLayout.SECTOR) {
            byte[] state = Arrays.copyOfRange(current, sector, Math.min(current.length, sector + SegmentLayout.SECTOR));
            unsynced.computeIfAbsent(sector, ignored -> new ArrayList<>()).add(state);
        }
    }

    void sync() {
        synced = Arrays.copyOf(synced, current.length);
        for (int sector : unsynced.keySet()) {
            int length = Math.min(SegmentLayout.SECTOR, current.length - sector);
            System.arraycopy(current, sector, synced, sector, length);
        }
        unsynced.clear();
    }

    /** The kernel could not write the pages, and takes them for clean: they are read until they are gone. */
    void failSync() {
        unsynced.clear();
    }

    /** Each sector becomes what it was when it was synced, or what any write since then made of it. */
    void losePower(RandomGenerator random) {
        int size = random.nextBoolean() ? synced.length : current.length;
        byte[] left = Arrays.copyOf(synced, size);
        unsynced.forEach((sector, states) -> {
            int state = random.nextInt(states.size() + 1) - 1;
            if (state >= 0 && sector < size) {
                byte[] bytes = states.get(state);
                System.arraycopy(bytes, 0, left, sector, Math.min(bytes.length, size - sector));
            }
        });
        replace(left);
    }

    void replace(byte[] bytes) {
        current = bytes;
        synced = bytes.clone();
        unsynced.clear();
    }
}
