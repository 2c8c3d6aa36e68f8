"""A training program of N equal layers as IR: y = relu(x w), the loss is the sum of all y, and w -= 0.01 dw.

usage: deep_program.py LAYERS SIZE BATCH > FILE
"""
import sys


def program(layers, size, batch):
    weight, value = f"tensor<{size}x{size}xf32>", f"tensor<{batch}x{size}xf32>"
    arguments = [f'%x: {value} {{pd.feed = "x"}}']
    arguments += [f'%w{i}: {weight} {{pd.param = "w{i}"}}' for i in range(layers)]
    results = ['tensor<f32> {pd.fetch = "loss"}'] + [f'{weight} {{pd.state = "w{i}"}}' for i in range(layers)]
    lines = [f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{"]

    def op(result, name, operands, types, to, attributes=""):
        lines.append(f"  %{result} = pd.{name} {', '.join('%' + o for o in operands)} {attributes}"
                     f": ({', '.join(types)}) -> {to}")

    lines.append(f"  %rate = pd.constant dense<0.01> : {weight}")
    lines.append(f"  %zeros = pd.constant dense<0.0> : {value}")
    lines.append(f"  %ones = pd.constant dense<1.0> : {value}")
    before = "x"
    for i in range(layers):
        op(f"z{i}", "matmul", [before, f"w{i}"], [value, weight], value)
        op(f"y{i}", "relu", [f"z{i}"], [value], value)
        before = f"y{i}"
    op("loss", "sum", [before], [value], "tensor<f32>")
    cotangent = "ones"
    for i in reversed(range(layers)):
        inputs = f"y{i - 1}" if i else "x"
        lines.append(f"  %m{i} = pd.greater_than %z{i}, %zeros : ({value}, {value}) -> tensor<{batch}x{size}xi1>")
        lines.append(f"  %dz{i} = pd.where %m{i}, %{cotangent}, %zeros : "
                     f"(tensor<{batch}x{size}xi1>, {value}, {value}) -> {value}")
        op(f"dw{i}", "matmul", [inputs, f"dz{i}"], [value, value], weight, "{transpose_x = true} ")
        if i:
            op(f"dy{i - 1}", "matmul", [f"dz{i}", f"w{i}"], [value, weight], value, "{transpose_y = true} ")
            cotangent = f"dy{i - 1}"
        op(f"s{i}", "multiply", [f"dw{i}", "rate"], [weight, weight], weight)
        op(f"n{i}", "subtract", [f"w{i}", f"s{i}"], [weight, weight], weight)
    names = ["loss"] + [f"n{i}" for i in range(layers)]
    types = ["tensor<f32>"] + [weight] * layers
    lines.append(f"  return {', '.join('%' + n for n in names)} : {', '.join(types)}")
    lines.append("}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(program(*map(int, sys.argv[1:4])))
