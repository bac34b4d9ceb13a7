"""Random numbers: np_random's methods as counter-based draws, in the order in which NumPy draws them."""

import numpy as np

from .messages import ConversionError
from .values import ListRef, RangeValue, Scalar, Static, TupleValue, describe, needed


class DrawCalls:
    """Part of the Translator. `draw_calls` counts them, so that a part that must not draw can be checked."""

    def draw_call(self, name, args, kwargs):
        self.draw_calls += 1
        f = getattr(self, f"draw_{name}", None)
        if f is None:
            raise ConversionError(
                f"np_random.{name}() is not translated; uniform, random, normal, standard_normal, integers, choice, shuffle and "
                "permutation are"
            )
        return f(*args, **kwargs)

    def filled(self, size, shape, one, type):
        """one(index) -> C++ of a draw; a number, or an array of them in row-major order."""
        if size is None and shape == ():
            name = self.fresh("drawn")
            code = one(())
            ctype = "int64_t" if type in ("int", "i8") else "Real"
            self.out.line(f"const {ctype} {name} = {code};")
            return Scalar(type, name)
        shape = size if size is not None else shape
        array = self.new_array({"float": "f8", "int": "i8"}.get(type, type), shape, "drawn")
        t = array.type

        def write(index, buffer):
            outer, self.out = self.out, buffer
            code = one(index)
            self.out = outer
            place = " + ".join(f"({i}) * {s}" if not isinstance(i, int) else str(i * s) for i, s in zip(index, array.strides)) or "0"
            if all(isinstance(i, int) for i in index):
                place = str(sum(i * s for i, s in zip(index, array.strides)))
            buffer.line(f"{array.storage.name}[{place}] = {code};")

        self.for_each(shape, write)
        self.last_type = t
        return array

    def sizes(self, size, *operands):
        operands = [self.as_operand(v) for v in operands]
        shape = np.broadcast_shapes(*[self.shape_of(v) for v in operands])
        return self.shape_argument(size), shape, operands

    def number_at(self, v, shape, index, type):
        return self.convert(self.broadcast_element(v, shape, index), type)

    def draw_uniform(self, low=Static(0.0), high=Static(1.0), size=None):
        size, shape, (low, high) = self.sizes(size, low, high)
        low, high = [v if self.is_array(v) else self.name_it(v, "bound") for v in (low, high)]
        full = size if size is not None else shape
        return self.filled(
            size, shape, lambda i: f"Real(draw.uniform({self.in_double(low, full, i)}, {self.in_double(high, full, i)}))", "float"
        )

    def in_double(self, v, shape, index):
        x = self.broadcast_element(v, shape, index)
        return (
            repr(float(x.obj))
            if isinstance(x, Static)
            else f"double({self.convert(x, self.number_type(x))})" if self.number_type(x) != "loose" else f"double({self.convert(x, 'f8')})"
        )

    def draw_random(self, size=None, dtype=None):
        if dtype is not None and np.dtype(dtype.obj) != np.float64:
            raise ConversionError("random() of float32 numbers")
        return self.filled(self.shape_argument(size), (), lambda i: "Real(draw.unit())", "float")

    def draw_standard_normal(self, size=None):
        return self.filled(self.shape_argument(size), (), lambda i: "Real(draw.standard_normal())", "float")

    def draw_normal(self, loc=Static(0.0), scale=Static(1.0), size=None):
        size, shape, (loc, scale) = self.sizes(size, loc, scale)
        loc, scale = [v if self.is_array(v) else self.name_it(v, "bound") for v in (loc, scale)]
        full = size if size is not None else shape
        return self.filled(
            size, shape, lambda i: f"Real(draw.normal({self.in_double(loc, full, i)}, {self.in_double(scale, full, i)}))", "float"
        )

    def draw_integers(self, low, high=None, size=None, dtype=None, endpoint=Static(False)):
        if high is None or isinstance(high, Static) and high.obj is None:
            low, high = Static(0), low
        size, shape, (low, high) = self.sizes(size, low, high)
        low, high = [v if self.is_array(v) else self.name_it(v, "bound") for v in (low, high)]
        full = size if size is not None else shape
        more = " + 1" if endpoint.obj else ""

        def one(i):
            return f"draw.integer(int32_t({self.number_at(low, full, i, 'i8')}), int32_t({self.number_at(high, full, i, 'i8')}{more}))"

        result = self.filled(size, shape, one, "i8")
        if isinstance(result, Scalar) and isinstance(low, Static) and isinstance(high, Static):
            result.bounds = (int(low.obj), int(high.obj) - (not endpoint.obj))
        return result

    def draw_choice(self, a, size=None, replace=Static(True), p=None, axis=None, shuffle=None):
        a = needed(a)
        if isinstance(a, RangeValue):
            a = TupleValue(tuple(self.items_of(a)))
        shape = self.shape_argument(size)
        if not replace.obj:
            if shape is None or len(shape) != 1:
                raise ConversionError("choice() without replacement needs a size of one dimension")
            mixed = self.draw_permutation(a)
            return self.array_subscript(mixed, slice(Static(0), Static(shape[0]), Static(None)))
        count = int(a.obj) if isinstance(a, Static) and isinstance(a.obj, (int, np.integer)) else None
        if isinstance(a, Scalar):
            if p is not None or shape is not None:
                raise ConversionError("choice() among a computed number, with a size or chances")
            return self.draw_integers(a)
        if isinstance(a, ListRef) and self.list_state(a).storage:
            if p is not None or shape is not None:
                raise ConversionError("choice() from a list of varying length, with a size or chances")
            s = self.list_state(a).storage
            return self.subscript(a, self.draw_integers(Scalar("int", f"int64_t({s.length})")))
        if count is None:
            items = None
            if self.is_array(a) or isinstance(a, Static):
                count = len(a.obj) if isinstance(a, Static) else a.shape[0]
            else:
                items = self.items_of(a)
                count = len(items)

        def one():
            if p is None:
                name = self.fresh("choice")
                self.out.line(f"const int64_t {name} = draw.integer(0, {count});")
            else:
                name = self.chosen_by(p, count)
            place = Scalar("i8", name, (0, count - 1))
            return place if isinstance(a, Static) and isinstance(a.obj, (int, np.integer)) else self.subscript(self.strong(a), place)

        if shape is None:
            return one()
        picks = [one() for _ in range(int(np.prod(shape)))]
        return self.reshaped(self.as_array(TupleValue(tuple(picks))), shape)

    def strong(self, a):
        """choice() makes an array of a sequence, so that its numbers become NumPy's."""
        if isinstance(a, Static) and isinstance(a.obj, (list, tuple)):
            array = np.array(a.obj)
            return Static(array) if array.dtype.kind in "biuf" else a
        return a

    def chosen_by(self, p, count):
        """The first place whose running sum of chances exceeds a number of [0, 1), as NumPy searches it."""
        unit = self.fresh("drawn")
        self.out.line(f"const double {unit} = draw.unit();")
        name = self.fresh("choice")
        if self.plain(p):
            sums = np.cumsum(np.asarray(self.python_object(p), np.float64))
            sums /= sums[-1]
            self.out.line(f"int64_t {name} = 0;")
            table = self.table_lookup(sums, "f8", "0").split("(")[0]
            self.out.line(f"while ({name} < {count - 1} && double({table}({name})) <= {unit}) ++{name};")
            return name
        running = self.numpy_cumsum(self.as_array(p, "f8"))
        last = self.convert(self.element_code(running, (count - 1,)), "f8")
        self.out.line(f"int64_t {name} = 0;")
        self.out.line(f"while ({name} < {count - 1} && {running.storage.name}[{name}] / {last} <= Real({unit})) ++{name};")
        return name

    def draw_shuffle(self, x):
        """Fisher and Yates from the end, an integer of 0 .. i for each i."""
        if isinstance(x, ListRef):
            storage = self.to_storage(x)
            n = storage.length
        else:
            array = self.lift_everywhere(x)
            if len(array.shape) != 1 or array.strides != (1,) or array.base or array.offset:
                raise ConversionError(f"shuffle() of {describe(x)}")
            storage, n = array.storage, str(array.shape[0])
        i, j, t = self.fresh("i"), self.fresh("j"), self.fresh("swap")
        self.out.line(f"for (int64_t {i} = {n} - 1; {i} > 0; --{i}) {{")
        self.out.line(f"  const int64_t {j} = draw.integer(0, int32_t({i} + 1));")
        self.out.line(f"  const auto {t} = {storage.name}[{i}];")
        self.out.line(f"  {storage.name}[{i}] = {storage.name}[{j}], {storage.name}[{j}] = {t};")
        self.out.line("}")
        return Static(None)

    def draw_permutation(self, x):
        x = needed(x)
        if isinstance(x, Static) and isinstance(x.obj, (int, np.integer)):
            x = Static(np.arange(x.obj))
        array = self.copied(self.as_array(x))
        self.draw_shuffle(array)
        return array
