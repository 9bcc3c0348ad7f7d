/** The documentation as pages of HTML, and the check of their links. {@link dev.couchjobs.site.Main} builds it. */
@NullMarked
package dev.couchjobs.site;

import org.jspecify.annotations.NullMarked;
