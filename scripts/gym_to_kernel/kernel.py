"""From an environment to the parts of a kernel: state, reset, step, observation."""

import ast

import numpy as np
from dataclasses import dataclass, field

from .code import Buffer
from .environment import Probe, Spaces
from .merging import same_constant
from .messages import ConversionError
from .scalar_types import join
from .source import source_of
from .state import Field, StateLayout
from .translator import Translator
from .values import Array, DictValue, ListRef, Scalar, Self, Static, Storage, describe, needed, row_major


@dataclass
class Kernel:
    name: str
    time_limit: int
    spaces: Spaces
    layout: StateLayout
    stored_observation: bool  # kept in the state, since it is made of more than that
    reset: list  # lines of C++
    step: list
    observe: list
    tables: dict
    draws: dict = field(default_factory=dict)  # calls that draw: in reset, in step
    constants: list = field(default_factory=list)
    source: str = ""


class Builder:
    def __init__(self, instance, name, time_limit, list_capacity):
        self.instance, self.name, self.time_limit, self.capacity = instance, name, time_limit, list_capacity
        self.cls = type(instance)
        self.spaces = Spaces(instance)
        self.tables = {}

    def build(self):
        import gymnasium

        for method in ("reset", "step"):
            owner = next((c for c in self.cls.__mro__ if method in vars(c)), None)
            if owner is None or owner is gymnasium.Env:
                raise ConversionError(f"{self.cls.__name__} has no {method} of its own")
        self.reset_source, self.step_source = source_of(self.cls.reset), source_of(self.cls.step)
        probe = Probe(self.instance)
        t, _ = self.pass_reset({}, None)
        templates = {n: self.template(t, v) for n, v in t.env.attrs.items()}
        reset_sets = set(t.env.attrs)
        for _ in range(10):
            t, _ = self.pass_step(templates, None)
            wider = dict(templates)
            for n, v in t.env.attrs.items():
                old = templates.get(n) or ("constant", getattr(self.instance, n, None))
                wider[n] = self.join(t, old, self.template(t, v))
            if all(n in templates and self.equal(wider[n], templates[n]) for n in wider):
                break
            templates = wider
        else:
            raise ConversionError("the types of the attributes do not settle from step to step")
        used = set(t.used)
        expressions = self.observation_expressions()
        from_state = bool(expressions)
        if from_state:
            try:
                texts = []
                for source, node in expressions:
                    lines, seen = self.pass_observe(templates, source, node)
                    texts.append(lines)
                    used |= seen
                from_state = all(text == texts[0] for text in texts)
            except ConversionError:
                from_state = False
        names = [n for n in templates if n in used and templates[n][0] not in ("constant", "none", "opaque", "fixed")]
        self.check_probe(probe, templates, used, reset_sets)
        kept = {n: templates[n] for n in templates if n in names or templates[n][0] in ("constant", "none", "opaque", "fixed")}
        layout = StateLayout({n: templates[n] for n in names})
        self.check_names(layout)
        if not from_state:
            layout.fields.append(Field("observation", "Real", len(self.spaces.observations), "the last observation"))
        self.tables.clear()
        reset, reset_lines = self.pass_reset(kept, layout, from_state)
        step, step_lines = self.pass_step(kept, layout, from_state)
        if from_state:
            source, node = expressions[0]
            observe, _ = self.pass_observe(kept, source, node)
        else:
            n = len(self.spaces.observations)
            observe = [f"for (int i = 0; i < {n}; ++i) out[i] = float(s.observation[i]);"]
        constants = sorted(n for n in templates if templates[n][0] == "constant")
        return Kernel(
            self.name,
            self.time_limit,
            self.spaces,
            layout,
            not from_state,
            reset_lines,
            step_lines,
            observe,
            dict(self.tables),
            {"reset": reset.draw_calls, "step": step.draw_calls},
            constants,
            self.step_source.file,
        )

    # What attributes must hold

    def template(self, t, value):
        if isinstance(value, Static):
            return ("constant", value.obj)
        if isinstance(value, ListRef):
            state = t.list_state(value)
            if state.storage:
                return ("grows", state.storage.type, self.capacity)
            return ("list", tuple(self.template_of_item(t, v) for v in state.items))
        return t.template_of(value) if not isinstance(value, (DictValue, Self)) else ("opaque", f"it is {describe(value)}")

    def template_of_item(self, t, v):
        if isinstance(v, ListRef):
            return self.template(t, v)
        return t.template_of(v)

    def expand(self, t, template):
        """A constant as what a variable must hold."""
        if template[0] != "constant":
            return template
        obj = template[1]
        if isinstance(obj, list):
            return ("list", tuple(self.expand(t, ("constant", o)) for o in obj))
        return t.template_of(Static(obj))

    def equal(self, a, b):
        if a[0] != b[0] or len(a) != len(b):
            return False
        return same_constant(a[1], b[1]) if a[0] == "constant" else a == b

    def join(self, t, a, b):
        if self.equal(a, b):
            return a
        a, b = self.expand(t, a), self.expand(t, b)
        try:
            return self.join_expanded(t, a, b)
        except ConversionError as e:
            return ("opaque", e.reason)

    def join_expanded(self, t, a, b):
        if a == b:
            return a
        for side in (a, b):
            if side[0] in ("opaque", "fixed"):
                return ("opaque", side[1] if len(side) > 1 else "it holds an object")
        lists = ("list", "grows")
        if a[0] in lists and b[0] in lists:
            if a[0] == b[0] == "list" and len(a[1]) == len(b[1]):
                return ("list", tuple(self.join_expanded(t, x, y) for x, y in zip(a[1], b[1])))
            types = []
            for side in (a, b):
                if side[0] == "grows":
                    types.append(side[1])
                else:
                    for x in side[1]:
                        if x[0] != "number":
                            raise ConversionError("it is a list of varying length, and holds something else than numbers")
                        types.append(x[1])
            kind = types[0]
            for other in types[1:]:
                kind = join(kind, other)
            return ("grows", kind, self.capacity)
        if a[0] in lists or b[0] in lists:
            if "none" in (a[0], b[0]):
                raise ConversionError("it is None or a list")
            raise ConversionError("it is a list or something else")
        return t.join_templates(a, b)

    # Passes

    def translator(self, templates):
        t = Translator(self.instance, self.tables, self.capacity)
        t.loads = {}
        layout = StateLayout(templates)
        for name, template in templates.items():
            t.out, outer = Buffer(), t.out
            t.env.attrs[name] = layout.load(t, name, template)
            t.loads[name] = t.out
            t.out = outer
            t.out.block(t.loads[name])
        t.assigned |= set(templates)
        return t

    def drop_unused_loads(self, t, keep=()):
        for name, buffer in t.loads.items():
            if name not in t.used and name not in keep:
                buffer.parts.clear()

    def pass_reset(self, templates, layout, from_state=True):
        t = Translator(self.instance, self.tables, self.capacity)
        flag = t.out.block(Buffer())
        for name, template in templates.items():  # what only step sets begins as the constructor left it
            if template[0] not in ("constant", "opaque", "fixed"):
                t.env.attrs[name] = t.constant_value(getattr(self.instance, name, None))
        frame = self.parameters(self.reset_source, {"seed": Static(None), "options": Static(None)})
        result = t.run_function(self.reset_source, {}, frame)
        lines = []
        if layout is not None:
            items = self.returned(t, result, 2, "reset", "(observation, info)")
            if t.grows:
                flag.line("[[maybe_unused]] bool overflow = false;  // a list is too short for what it should hold")
            self.lift_for_state(t, layout)
            layout.store_all(t, list(layout.templates))
            if not from_state:
                self.write_observation(t, items[0])
            lines = t.lines(2)
        return t, lines

    def lift_for_state(self, t, layout):
        for name, template in layout.templates.items():
            value = t.env.attrs.get(name)
            if isinstance(value, Static) and isinstance(value.obj, list):
                t.env.attrs[name] = t.lifted_list(value)

    def parameters(self, source, values):
        a = source.node.args
        frame = {}
        names = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
        for k, n in enumerate(names):
            if k == 0 and a.args:
                frame[n] = Self()
            elif n in values:
                frame[n] = values[n]
        defaults = dict(zip(reversed([p.arg for p in (*a.posonlyargs, *a.args)]), reversed(source.defaults)))
        defaults.update(source.keyword_defaults)
        for n in names:
            if n not in frame:
                if n not in defaults:
                    raise ConversionError(f"{source.name} needs a parameter {n}, which the Gymnasium interface does not give")
                frame[n] = Static(defaults[n])
        if a.kwarg:
            frame[a.kwarg.arg] = DictValue({k: v for k, v in values.items() if k not in names})
        return frame

    def pass_step(self, templates, layout, from_state=True):
        t = self.translator(templates)
        flag = t.out.block(Buffer())
        params = [p.arg for p in self.step_source.node.args.args]
        if len(params) < 2:
            raise ConversionError("step takes no action")
        frame = self.parameters(self.step_source, {params[1]: self.action(t)})
        result = t.run_function(self.step_source, {}, frame)
        lines = []
        if layout is not None:
            self.drop_unused_loads(t, layout.templates)
            items = self.returned(t, result, 5, "step", "(observation, reward, terminated, truncated, info)")
            if t.grows:
                flag.line("bool overflow = false;  // a list is too short for what it should hold")
            reward = t.name_it(Scalar("f8", t.convert(t.scalar_of(items[1]), "f8")), "reward")
            flags = [t.name_it(t.truth_value(v), n) for v, n in zip(items[2:4], ("terminated", "truncated"))]
            t.check_shared({n: t.env.attrs[n] for n in layout.templates if n in t.env.attrs}, t.written)
            self.lift_for_state(t, layout)
            layout.store_all(t, list(layout.templates))
            if not from_state:
                self.write_observation(t, items[0])
            reward = f"overflow ? Real(NAN) : {reward.code}" if t.grows else reward.code
            t.out.line(f"return {{{reward}, {t.truth(flags[0])}, {t.truth(flags[1])}}};")
            lines = t.lines(2)
        else:
            self.returned(t, result, 5, "step", "(observation, reward, terminated, truncated, info)")
        return t, lines

    def returned(self, t, result, count, method, what):
        result = needed(result)
        try:
            items = t.items_of(result)
        except ConversionError:
            items = []
        if len(items) != count:
            source = self.reset_source if method == "reset" else self.step_source
            raise ConversionError(f"{method} returns {describe(result)}{f' of {len(items)}' if items else ''}, not {what}").at(
                source, source.node.body[-1]
            )
        return items

    def action(self, t):
        s, space = self.spaces, self.spaces.action_space
        if s.kind == "kDiscrete":
            name = t.fresh("action")
            low, high = s.actions[0]
            t.out.line(f"const int64_t {name} = action[0]{f' + {s.start}' if s.start else ''};")
            return Scalar("i8", name, (low + s.start, high + s.start))
        shape = tuple(space.shape)
        kind = "i8" if s.kind == "kMultiDiscrete" else "f8" if space.dtype == np.float64 else "f4"
        given = Array(Storage("action", kind, len(s.actions), cast=True), shape, row_major(shape))
        array = t.new_array(kind, shape, "action")
        t.copy_array(t.out, array, given)
        return array

    def observation_numbers(self, t, value, space):
        """Numbers of an observation, in the order of its space."""
        from gymnasium import spaces

        value = needed(value)
        if isinstance(space, spaces.Dict):
            items = value.items if isinstance(value, DictValue) else {k: t.constant_value(v) for k, v in value.obj.items()}
            return [x for k, s in space.spaces.items() for x in self.observation_numbers(t, items[k], s)]
        if isinstance(space, spaces.Tuple):
            return [x for s, v in zip(space.spaces, t.items_of(value)) for x in self.observation_numbers(t, v, s)]
        if t.is_number(value):
            return [value]
        array = t.as_array(value)
        shape = t.shape_of(array)
        return [t.element_code(array, tuple(int(i) for i in index)) for index in np.ndindex(*shape)]

    def write_observation(self, t, value, target="s.observation", cast="Real"):
        numbers = self.observation_numbers(t, value, self.spaces.observation_space)
        if len(numbers) != len(self.spaces.observations):
            raise ConversionError(f"the observation has {len(numbers)} numbers, its space {len(self.spaces.observations)}")
        for i, v in enumerate(numbers):
            t.out.line(
                f"{target}[{i}] = {cast}(float({t.convert(v, 'f8' if t.number_type(v) != 'f4' else 'f4')}));".replace(
                    "float(float(", "((float("
                )
            )

    def observation_expressions(self):
        """[(source, node)] of what reset and step return as observation, where these are made of attributes alone; else []."""
        found = []
        for source in (self.reset_source, self.step_source):
            local = {a.arg for a in ast.walk(source.node.args) if isinstance(a, ast.arg)} - {source.node.args.args[0].arg}
            local |= {n.id for n in ast.walk(source.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            returns = [n for n in ast.walk(source.node) if isinstance(n, ast.Return)]
            if not returns:
                return []
            for r in returns:
                if not isinstance(r.value, ast.Tuple):
                    return []
                node = r.value.elts[0]
                if {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & local:
                    return []
                if not any(ast.dump(node) == ast.dump(other) for _, other in found):
                    found.append((source, node))
        return found

    def pass_observe(self, templates, source, node):
        t = self.translator(templates)
        t.comments = False
        for v in t.env.attrs.values():
            if isinstance(v, Array):
                v.storage.frozen = "making an observation changes the state"
        t.source = source
        t.env.frames.append({source.node.args.args[0].arg: Self()})
        draws = t.draw_calls
        before = dict(t.env.attrs)
        value = t.eval(node)
        if t.draw_calls != draws or any(t.env.attrs[n] is not before[n] for n in before):
            raise ConversionError("making an observation changes the state")
        self.write_observation(t, value, "out", "")
        self.drop_unused_loads(t)
        return t.lines(2), {n for n in t.used}

    # Checks

    def check_probe(self, probe, templates, used, reset_sets):
        for name in sorted(probe.changing):
            template = templates.get(name)
            if name in used and (template is None or template[0] == "constant"):
                raise ConversionError(f"self.{name} changes while the environment runs, but nothing that was read here changes it")
        for name in sorted(probe.carried):
            if name in used and name in templates and templates[name][0] != "constant":
                raise ConversionError(f"self.{name} keeps what an episode left in it: reset must set it, since an episode here begins anew")

    def check_names(self, layout):
        names = [f.name for f in layout.fields]
        for n in names:
            if names.count(n) > 1:
                raise ConversionError(f"two parts of the state would both be called {n}")
            if not n.isidentifier() or not n.isascii():
                raise ConversionError(f"self.{n} can't be a C++ name")
