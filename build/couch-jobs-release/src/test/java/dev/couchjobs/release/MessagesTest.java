package dev.couchjobs.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Messages have durations as people read them. */
class MessagesTest {
    private static final String DURATION = "Ljava/time/Duration;";

    /** {@code "…" + duration} is ISO 8601, which few people read. */
    @Test
    void noMessageOfAnyModuleHasADurationAsItIs() throws IOException {
        List<String> found = new ArrayList<>();
        int classes = 0;
        for (ProjectModule module : ProjectModule.publishedJars()) {
            if (module.name().equals("fdb-embedded")) {
                continue; // it knows nothing of the library, and has no messages with durations but in its simulation
            }
            try (FileSystem jar = FileSystems.newFileSystem(module.jar());
                    Stream<Path> files = Files.walk(jar.getPath("/dev"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    classes++;
                    new ClassReader(Files.readAllBytes(file)).accept(new Scan(file.toString(), found), 0);
                }
            }
        }
        assertThat(classes).isGreaterThan(300);
        assertThat(found).isEmpty();
    }

    /** Finds durations that are turned into a text, as javac does for a concatenation. */
    private static final class Scan extends ClassVisitor {
        private final String file;
        private final List<String> found;

        Scan(String file, List<String> found) {
            super(Opcodes.ASM9);
            this.file = file;
            this.found = found;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String signature, @Nullable String generic, String @Nullable [] exceptions) {
            return new MethodVisitor(Opcodes.ASM9) {
                private final List<Integer> locals = new ArrayList<>();
                /** The type of what the last instruction has put onto the stack, or its number as a local variable. */
                private String last = "";

                private int lastLocal = -1;

                private void pushed(String type, int local) {
                    last = type;
                    lastLocal = local;
                }

                @Override
                public void visitMethodInsn(
                        int opcode, String owner, String name, String descriptor, boolean isInterface) {
                    if (owner.equals("java/lang/String")
                            && descriptor.equals("(Ljava/lang/Object;)Ljava/lang/String;")) {
                        if (last.equals(DURATION)) {
                            found.add(file + " " + method);
                        } else if (lastLocal >= 0) {
                            locals.add(lastLocal);
                        }
                    }
                    pushed(descriptor.substring(descriptor.indexOf(')') + 1), -1);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
                    pushed(descriptor, -1);
                }

                @Override
                public void visitVarInsn(int opcode, int local) {
                    pushed("", local);
                }

                @Override
                public void visitTypeInsn(int opcode, String type) {
                    pushed("L" + type + ";", -1);
                }

                @Override
                public void visitLocalVariable(
                        String name, String type, @Nullable String generic, Label start, Label end, int local) {
                    if (type.equals(DURATION) && locals.contains(local)) {
                        found.add(file + " " + method + " " + name);
                    }
                }
            };
        }
    }
}
