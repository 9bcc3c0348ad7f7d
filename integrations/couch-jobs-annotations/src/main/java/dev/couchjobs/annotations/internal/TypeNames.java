package dev.couchjobs.annotations.internal;

import java.util.Locale;
import java.util.stream.Collectors;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.PrimitiveType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.SimpleTypeVisitor14;
import org.jspecify.annotations.Nullable;

/** Types as generated source names them: in full, without the annotations that {@code toString} shows. */
final class TypeNames extends SimpleTypeVisitor14<String, @Nullable Void> {
    private static final TypeNames NAMES = new TypeNames();

    private TypeNames() {}

    static String of(TypeMirror type) {
        return NAMES.visit(type);
    }

    @Override
    public String visitDeclared(DeclaredType type, @Nullable Void none) {
        String name = ((TypeElement) type.asElement()).getQualifiedName().toString();
        return type.getTypeArguments().isEmpty()
                ? name
                : type.getTypeArguments().stream()
                        .map(TypeNames::of)
                        .collect(Collectors.joining(", ", name + "<", ">"));
    }

    @Override
    public String visitArray(ArrayType type, @Nullable Void none) {
        return of(type.getComponentType()) + "[]";
    }

    @Override
    public String visitPrimitive(PrimitiveType type, @Nullable Void none) {
        return type.getKind().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String visitWildcard(WildcardType type, @Nullable Void none) {
        if (type.getExtendsBound() != null) {
            return "? extends " + of(type.getExtendsBound());
        }
        return type.getSuperBound() != null ? "? super " + of(type.getSuperBound()) : "?";
    }

    @Override
    protected String defaultAction(TypeMirror type, @Nullable Void none) {
        return type.toString();
    }
}
