/**
 * The contract as properties: random transactions against a sorted map, random histories against a serial order.
 *
 * <p>Keys are few, so that operations meet: the letters {@code a} to {@code h} and the gaps between them.
 */
@NullMarked
package dev.couchjobs.fdb.contract.property;

import org.jspecify.annotations.NullMarked;
