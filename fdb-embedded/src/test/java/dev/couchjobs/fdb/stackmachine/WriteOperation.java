package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;

/** The specification's operations that write, or say that they did. */
enum WriteOperation implements Operation {
    SET {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] key = machine.stack().popBytes();
            byte[] value = machine.stack().popBytes();
            machine.write(variant, tr -> tr.set(key, value));
        }
    },
    CLEAR {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] key = machine.stack().popBytes();
            machine.write(variant, tr -> tr.clear(key));
        }
    },
    CLEAR_RANGE {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] begin = machine.stack().popBytes();
            byte[] end = machine.stack().popBytes();
            machine.write(variant, tr -> tr.clear(begin, end));
        }
    },
    CLEAR_RANGE_STARTS_WITH {
        @Override
        public void run(StackMachine machine, Variant variant) {
            Range range = Range.startsWith(machine.stack().popBytes());
            machine.write(variant, tr -> tr.clear(range));
        }
    },
    ATOMIC_OP {
        @Override
        public void run(StackMachine machine, Variant variant) {
            MutationType type = MutationType.valueOf(machine.stack().popText());
            byte[] key = machine.stack().popBytes();
            byte[] operand = machine.stack().popBytes();
            if (variant != Variant.DATABASE) {
                machine.current().mutate(type);
            }
            machine.write(variant, tr -> tr.mutate(type, key, operand));
        }
    },
    READ_CONFLICT_RANGE {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] begin = machine.stack().popBytes();
            byte[] end = machine.stack().popBytes();
            machine.transaction().addReadConflictRange(begin, end);
            machine.pushAscii(CONFLICT_RANGE);
        }
    },
    WRITE_CONFLICT_RANGE {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] begin = machine.stack().popBytes();
            byte[] end = machine.stack().popBytes();
            machine.transaction().addWriteConflictRange(begin, end);
            machine.pushAscii(CONFLICT_RANGE);
        }
    },
    READ_CONFLICT_KEY {
        @Override
        public void run(StackMachine machine, Variant variant) {
            machine.transaction().addReadConflictKey(machine.stack().popBytes());
            machine.pushAscii(CONFLICT_KEY);
        }
    },
    WRITE_CONFLICT_KEY {
        @Override
        public void run(StackMachine machine, Variant variant) {
            machine.transaction().addWriteConflictKey(machine.stack().popBytes());
            machine.pushAscii(CONFLICT_KEY);
        }
    },
    DISABLE_WRITE_CONFLICT {
        @Override
        public void run(StackMachine machine, Variant variant) {
            machine.transaction().options().setNextWriteNoWriteConflictRange();
        }
    };

    private static final String CONFLICT_RANGE = "SET_CONFLICT_RANGE";
    private static final String CONFLICT_KEY = "SET_CONFLICT_KEY";
}
